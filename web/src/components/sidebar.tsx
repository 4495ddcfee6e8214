import { useEffect, useRef, useState } from "react";

import { api } from "../api";
import type { Conversation } from "../model";
import { SHORTCUTS } from "../shortcuts";
import { useStore } from "../store";
import { chooseTheme, chosenTheme, type Theme } from "../theme";
import { addProject, chooseProject, go, remove, rename, showMore, workspace } from "../workspace";
import { IconButton } from "./button";
import { Confirm, Dialog } from "./dialog";
import { ImportDrop } from "./import_drop";
import { Icon, Mark } from "./icons";

export function Sidebar() {
  const listOpen = useStore(workspace, (value) => value.listOpen);
  return (
    <>
      {listOpen && <div className="shade" onClick={() => workspace.set({ listOpen: false })} />}
      <nav className="sidebar" aria-label="Conversations">
        <div className="brand">
          <Mark />
          <span>Triptych</span>
          <IconButton
            icon="close"
            label="Close the list"
            className="only-narrow"
            onClick={() => workspace.set({ listOpen: false })}
          />
        </div>
        <Projects />
        <button type="button" className="new" onClick={startNew}>
          <Icon name="plus" /> New conversation
        </button>
        <ConversationList />
        <Foot />
      </nav>
    </>
  );
}

function startNew(): void {
  go(null);
  requestAnimationFrame(() => document.getElementById("message")?.focus());
}

function Projects() {
  const projects = useStore(workspace, (value) => value.projects);
  const projectId = useStore(workspace, (value) => value.projectId);
  const [adding, setAdding] = useState(false);
  return (
    <div className="projects">
      <select
        aria-label="Project"
        value={projectId}
        onChange={(event) => void chooseProject(event.target.value)}
      >
        {projects.length === 0 && <option value={projectId}>All notes</option>}
        {projects.map((project) => (
          <option key={project.id} value={project.id}>
            {project.name || (project.id === "default" ? "All notes" : project.id)}
          </option>
        ))}
      </select>
      <IconButton icon="plus" label="New project" onClick={() => setAdding(true)} />
      {adding && <NewProject onClose={() => setAdding(false)} />}
    </div>
  );
}

function NewProject({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  return (
    <Dialog title="New project" onClose={onClose}>
      <p>A project has conversations of its own; nothing of another project is seen in it.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim()) void addProject(name.trim());
          onClose();
        }}
      >
        <input
          className="field"
          aria-label="Name of the project"
          placeholder="Name"
          maxLength={500}
          value={name}
          onChange={(event) => setName(event.target.value)}
          autoFocus
        />
        <div className="dialog-buttons">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button main" disabled={!name.trim()}>
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const DAY = 86_400_000;

function groupOf(conversation: Conversation, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const time = conversation.updatedAt ?? 0;
  if (time >= midnight) return "Today";
  if (time >= midnight - DAY) return "Yesterday";
  if (time >= midnight - 7 * DAY) return "This week";
  return "Earlier";
}

function grouped(conversations: Conversation[], now: number): [string, Conversation[]][] {
  const groups = new Map<string, Conversation[]>();
  for (const one of conversations) {
    const name = groupOf(one, now);
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups];
}

const byTime = (found: Conversation[]): [string, Conversation[]][] =>
  found.length ? [["Found", found.sort((one, other) => (other.updatedAt ?? 0) - (one.updatedAt ?? 0))]] : [];

const PAUSE = 250;

/** The conversations in whose messages the words stand, once somebody stops typing; null until it is known. */
function useSaid(words: string): Conversation[] | null {
  const projectId = useStore(workspace, (value) => value.projectId);
  const [said, setSaid] = useState<{ words: string; found: Conversation[] } | null>(null);
  useEffect(() => {
    if (!words) return;
    let over = false;
    const timer = setTimeout(async () => {
      const found = await api.conversations(projectId, undefined, words).then(
        (answer) => answer.conversations,
        () => [],
      );
      if (!over) setSaid({ words, found });
    }, PAUSE);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [words, projectId]);
  return said?.words === words ? said.found : null;
}

function ConversationList() {
  const conversations = useStore(workspace, (value) => value.conversations);
  const more = useStore(workspace, (value) => value.more);
  const [words, setWords] = useState("");
  const wanted = words.trim().toLowerCase();
  const said = useSaid(wanted);
  const titled = conversations.filter((one) => (one.title ?? "").toLowerCase().includes(wanted));
  const known = new Set(titled.map((one) => one.id));
  const found = [...titled, ...(said ?? []).filter((one) => !known.has(one.id))];
  const groups = wanted ? byTime(found) : grouped(conversations, Date.now());
  return (
    <div className="list">
      {conversations.length > 8 && (
        <input
          type="search"
          className="field filter"
          placeholder="Search"
          aria-label="Search conversations"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      )}
      {groups.map(([name, members]) => (
        <section key={name}>
          <h2>{name}</h2>
          <ul>
            {members.map((one) => (
              <Item key={one.id} conversation={one} />
            ))}
          </ul>
        </section>
      ))}
      {found.length === 0 && (
        <p className="quiet">
          {!wanted ? "Nothing here yet." : said === null ? "Looking…" : "Nobody said this here."}
        </p>
      )}
      {more && !wanted && (
        <button type="button" className="button plain" onClick={() => void showMore()}>
          Show earlier ones
        </button>
      )}
    </div>
  );
}

function Item({ conversation }: { conversation: Conversation }) {
  const open = useStore(workspace, (value) => value.live?.id === conversation.id);
  const [mode, setMode] = useState<"shown" | "renaming" | "deleting">("shown");
  const title = conversation.title || "Untitled";
  if (mode === "renaming") return <Renaming conversation={conversation} onEnd={() => setMode("shown")} />;
  return (
    <li className="item" data-open={open}>
      <a
        href={`/c/${encodeURIComponent(conversation.id)}`}
        aria-current={open ? "page" : undefined}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          go(conversation.id);
        }}
        onDoubleClick={() => setMode("renaming")}
      >
        {title}
      </a>
      <span className="item-buttons">
        <IconButton icon="pencil" label={`Rename “${title}”`} onClick={() => setMode("renaming")} />
        <IconButton icon="trash" label={`Delete “${title}”`} onClick={() => setMode("deleting")} />
      </span>
      {mode === "deleting" && (
        <Confirm
          title="Delete this conversation?"
          words={`“${title}” and all its branches will be gone.`}
          yes="Delete"
          onYes={() => void remove(conversation.id)}
          onClose={() => setMode("shown")}
        />
      )}
    </li>
  );
}

function Renaming({ conversation, onEnd }: { conversation: Conversation; onEnd: () => void }) {
  const [title, setTitle] = useState(conversation.title ?? "");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const keep = () => {
    if (title.trim() && title.trim() !== conversation.title) void rename(conversation.id, title.trim());
    onEnd();
  };
  return (
    <li className="item">
      <input
        ref={field}
        className="field"
        aria-label="New title"
        value={title}
        maxLength={500}
        onChange={(event) => setTitle(event.target.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.key === "Enter") keep();
          if (event.key === "Escape") (event.preventDefault(), onEnd());
        }}
      />
    </li>
  );
}

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const SHOWN = { system: "half", light: "sun", dark: "moon" } as const;

function Foot() {
  const status = useStore(workspace, (value) => value.status);
  const [theme, setTheme] = useState(chosenTheme);
  const [helping, setHelping] = useState(false);
  const turn = () => {
    chooseTheme(NEXT[theme]);
    setTheme(NEXT[theme]);
  };
  return (
    <div className="foot">
      <p>
        {status?.vault ? (
          <>
            <Icon name="note" /> {status.vault} · {status.notes} notes
          </>
        ) : (
          status && "No folder of notes"
        )}
      </p>
      <ImportDrop />
      <IconButton icon={SHOWN[theme]} label={`Theme: ${theme}`} onClick={turn} />
      <IconButton icon="keys" id="shortcuts" label="Keyboard shortcuts" onClick={() => setHelping(true)} />
      {helping && (
        <Dialog title="Keyboard" onClose={() => setHelping(false)}>
          <dl className="keys">
            {SHORTCUTS.map(([key, words]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{words}</dd>
              </div>
            ))}
          </dl>
          <div className="dialog-buttons">
            <button type="button" className="button main" onClick={() => setHelping(false)} autoFocus>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
