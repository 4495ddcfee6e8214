import { useStore } from "../store";
import { createStore } from "../store";
import type { LiveState } from "../live";
import { recall, remember } from "../theme";
import { workspace } from "../workspace";
import { useState } from "react";
import { IconButton } from "./button";
import { Composer } from "./composer";
import { Icon } from "./icons";
import { MessageList } from "./message_list";
import { Welcome } from "./welcome";

const NOTHING = createStore<LiveState>({
  phase: "ready",
  conversation: null,
  rows: [],
  elsewhere: {},
  diagnostics: [],
  running: false,
});

/** A conversation that is not there has no title. */
const NAMES: Partial<Record<LiveState["phase"], string>> = { gone: "Not found" };

export function Conversation() {
  const live = useStore(workspace, (value) => value.live);
  const state = useStore(live?.store ?? NOTHING, (value) => value);
  const title = live === null ? "New conversation" : NAMES[state.phase] || state.conversation?.title || "Untitled";
  document.title = live === null ? "Triptych" : `${title} · Triptych`;
  return (
    <main className="conversation">
      <header className="head">
        <IconButton
          icon="menu"
          label="Conversations"
          className="only-narrow"
          onClick={() => workspace.set({ listOpen: true })}
        />
        <h1>{title}</h1>
        <ModelName />
      </header>
      <HonestWord />
      {state.phase === "lost" && (
        <p className="strip" role="status">
          The connection is lost; trying again…
        </p>
      )}
      {state.phase === "gone" ? (
        <div className="welcome">
          <h2>There is no such conversation.</h2>
          <p>It may have been deleted. Choose another one, or begin a new one.</p>
        </div>
      ) : live !== null && (state.rows.length > 0 || state.phase === "loading") ? (
        <MessageList key={`list ${live.id}`} id={live.id} state={state} />
      ) : (
        <Welcome />
      )}
      <Failure />
      <Composer key={`composer ${live?.id ?? ""}`} id={live?.id} running={state.running} rows={state.rows} />
    </main>
  );
}

function ModelName() {
  const model = useStore(workspace, (value) => value.status?.model);
  return model ? (
    <span className="model" title={model.note || model.id}>
      {model.name || model.id}
    </span>
  ) : null;
}

const WORD_READ = "triptych.word-read";

/** What the model is, said before anybody relies on it; once read, it can be put away. */
function HonestWord() {
  const status = useStore(workspace, (value) => value.status);
  const [read, setRead] = useState(() => recall(WORD_READ));
  const words = status?.model?.note;
  const others = status?.diagnostics ?? [];
  return (
    <>
      {words && read !== words && (
        <aside className="word" aria-label="About the model">
          <Icon name="info" />
          <p>{words}</p>
          <IconButton
            icon="close"
            label="I have read this"
            onClick={() => {
              remember(WORD_READ, words);
              setRead(words);
            }}
          />
        </aside>
      )}
      {others.map((one) => (
        <p key={one.code + one.message} className={`strip ${one.severity ?? "warning"}`}>
          {one.message}
        </p>
      ))}
    </>
  );
}

function Failure() {
  const failure = useStore(workspace, (value) => value.failure);
  return (
    <div role="alert">
      {failure !== null && (
        <p className="failure">
          <Icon name="warning" />
          <span>{failure}</span>
          <IconButton icon="close" label="Close this message" onClick={() => workspace.set({ failure: null })} />
        </p>
      )}
    </div>
  );
}
