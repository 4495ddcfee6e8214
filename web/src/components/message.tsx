import { memo, useState } from "react";

import { api } from "../api";
import type { ReplyStatus, Row } from "../model";
import { attempt, look, say } from "../workspace";
import { BranchArrows } from "./branch_arrows";
import { IconButton } from "./button";
import { Confirm } from "./dialog";
import { Edit } from "./edit";
import { Icon } from "./icons";
import { AttachedNotes, besideEachOther, Blocks, SideBySide, Speaker, textOf } from "./parts";
import { Sources, sourcesOf } from "./sources";

interface Props {
  row: Row;
  id: string;
  place: number;
  count: number;
  running: boolean;
  last: boolean;
}

const NAMES: Record<string, string> = {
  user: "You",
  system: "Instructions",
  tool: "Tool result",
  task: "Task",
  tasks: "Tasks",
  groupTasks: "Tasks of several agents",
  taskCallback: "Task finished",
  compare: "Answers side by side",
  agentCouncil: "Council",
  compressedGroup: "Earlier turns, summarised",
};

export const Message = memo(function Message(props: Props) {
  const { row, id, place, count, running, last } = props;
  const [editing, setEditing] = useState(false);
  const mine = row.role === "user";
  const streaming = row.status?.state === "streaming";
  if (row.hidden) return null;
  return (
    <article
      className={`message ${mine ? "mine" : "theirs"}`}
      aria-label={`${NAMES[row.role] ?? "Reply"}, ${place} of ${count}`}
      aria-posinset={place}
      aria-setsize={count}
      aria-busy={streaming}
      data-role={row.role}
      data-id={row.id}
    >
      <div className="body">
        {editing ? (
          <Edit id={id} row={row} onEnd={() => setEditing(false)} />
        ) : mine ? (
          <Question row={row} id={id} />
        ) : (
          <Reply row={row} id={id} streaming={streaming} />
        )}
        {!editing && <StatusMark row={row} id={id} running={running} last={last} />}
        {!editing && <Tools {...props} streaming={streaming} onEdit={() => setEditing(true)} />}
      </div>
      <Sources sources={sourcesOf(row)} />
    </article>
  );
});

function Question({ row, id }: { row: Row; id: string }) {
  const asked = directivesOf(row);
  return (
    <>
      <div className="question">
        <AttachedNotes parts={row.parts ?? []} />
        <Blocks row={row} id={id} streaming={false} />
      </div>
      {asked.length > 0 && <p className="asked">Asked of the answer: {asked.join(" ")}</p>}
    </>
  );
}

function directivesOf(row: Row): string[] {
  const asked = row.metadata?.directives;
  return Array.isArray(asked) ? asked.filter((one): one is string => typeof one === "string") : [];
}

function Reply({ row, id, streaming }: { row: Row; id: string; streaming: boolean }) {
  if (row.role === "system" || row.role === "tool" || row.role === "compressedGroup") {
    return (
      <details className="fold">
        <summary>{NAMES[row.role]}</summary>
        <Blocks row={row} id={id} streaming={false} />
      </details>
    );
  }
  const inner = besideEachOther(row);
  if (inner) return <SideBySide rows={inner} id={id} name={NAMES[row.role] ?? "Replies"} active={row.activeColumnId} />;
  return (
    <>
      {row.groupId && <Speaker words={row.agentId ?? ""} />}
      <Blocks row={row} id={id} streaming={streaming} />
    </>
  );
}

const ENDED: Record<string, string> = {
  interrupted: "Interrupted. This is what had arrived.",
  stopped: "You stopped this reply.",
  length: "The reply reached its length limit.",
  contentFilter: "The provider held back the rest of this reply.",
  error: "The reply failed.",
  other: "The reply ended early.",
};

/** How a reply ended, when it did not simply end; with a way on. */
function StatusMark({ row, id, running, last }: { row: Row; id: string; running: boolean; last: boolean }) {
  const again = () => void attempt(() => api.regenerate(id, row.id));
  if (row.role === "user") {
    if (!last || running) return null;
    return <Ended words="There is no reply to this yet." kind="interrupted" retry="Answer it" onRetry={again} />;
  }
  const status: ReplyStatus | undefined = row.status;
  if (status?.state === "awaitingApproval") {
    return <p className="ended">Waiting for your approval of {status.callIds.length} calls.</p>;
  }
  if (status?.state !== "incomplete") return null;
  const told = hasError(row);
  const words = told ? "What had arrived is kept." : (ENDED[status.reason] ?? ENDED["other"]!);
  const shown = told ? undefined : status.error;
  return (
    <Ended
      words={shown ? `${words} ${shown}` : words}
      kind={told ? "kept" : status.reason}
      retry="Try again"
      onRetry={running ? undefined : again}
    />
  );
}

const hasError = (row: Row) => [row, ...(row.children ?? [])].some((one) => one.parts?.some((part) => part.type === "error"));

interface EndedProps {
  words: string;
  kind: string;
  retry: string;
  onRetry: (() => void) | undefined;
}

function Ended({ words, kind, retry, onRetry }: EndedProps) {
  return (
    <p className={`ended ${kind}`}>
      <Icon name={kind === "error" ? "warning" : "info"} />
      <span>{words}</span>
      {onRetry && (
        <button type="button" className="button small" onClick={onRetry}>
          <Icon name="again" /> {retry}
        </button>
      )}
    </p>
  );
}

interface ToolsProps extends Props {
  streaming: boolean;
  onEdit: () => void;
}

/** A reply that is one message of words: what came of calls is not written over. */
const isPlainReply = (row: Row) =>
  row.role === "assistant" && !row.children?.length && (row.parts ?? []).some((part) => part.type === "text");

/** What can be done with a message: shown when it is pointed at or focused, the arrows always. */
function Tools({ row, id, running, streaming, onEdit }: ToolsProps) {
  const [deleting, setDeleting] = useState(false);
  if (streaming) return null;
  const mine = row.role === "user";
  if (besideEachOther(row) || row.role === "compressedGroup") return <CopyOnly row={row} />;
  return (
    <div className="tools" role="group" aria-label={mine ? "Your message" : "This reply"}>
      {row.branch && <BranchArrows id={id} branch={row.branch} disabled={running} />}
      <IconButton
        icon="star"
        label="Favourite"
        className={row.favorite ? "star" : "star quiet-tools"}
        aria-pressed={row.favorite ?? false}
        onClick={() => void attempt(() => api.mark(id, row.id, !row.favorite))}
      />
      <span className="quiet-tools">
        <CopyButton row={row} />
        {(mine || isPlainReply(row)) && <IconButton icon="pencil" label="Edit" disabled={running} onClick={onEdit} />}
        {!mine && row.role !== "system" && (
          <IconButton
            icon="again"
            label="Answer again"
            disabled={running}
            onClick={() => void attempt(() => api.regenerate(id, row.id))}
          />
        )}
        {!mine && row.role !== "system" && (
          <IconButton
            icon="layers"
            label="What the model was given"
            onClick={() => void look(() => api.inspect(id, row.id))}
          />
        )}
        <IconButton icon="trash" label="Delete from here" disabled={running} onClick={() => setDeleting(true)} />
      </span>
      {!mine && <Cost row={row} />}
      {deleting && (
        <Confirm
          title="Delete from here?"
          words="This message and everything that follows it, in all its branches, will be gone."
          yes="Delete"
          onYes={() => {
            setDeleting(false);
            void attempt(() => api.removeMessage(id, row.id));
          }}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  );
}

/** A row that stands for several messages is none itself: there is nothing to mark, to answer or to delete. */
function CopyOnly({ row }: { row: Row }) {
  return (
    <div className="tools" role="group" aria-label={NAMES[row.role] ?? "Replies"}>
      <span className="quiet-tools">
        <CopyButton row={row} />
      </span>
    </div>
  );
}

function CopyButton({ row }: { row: Row }) {
  const copy = () => void navigator.clipboard.writeText(textOf(row)).then(() => say("Copied"));
  return <IconButton icon="copy" label="Copy" onClick={copy} />;
}

function Cost({ row }: { row: Row }) {
  const tokens = row.usage?.["totalOutputTokens"];
  const speed = row.performance?.["tps"];
  const first = row.performance?.["ttft"];
  const facts = [
    row.model,
    typeof tokens === "number" ? `${tokens} tokens` : "",
    typeof first === "number" ? `first word after ${(first / 1000).toFixed(1)} s` : "",
    typeof speed === "number" ? `${speed.toFixed(0)} tokens a second` : "",
  ].filter(Boolean);
  return facts.length > 0 ? <span className="cost quiet-tools">{facts.join(" · ")}</span> : null;
}

