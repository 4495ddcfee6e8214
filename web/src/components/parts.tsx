import { useState, type ReactNode } from "react";

import { blobAddress } from "../api";
import type { Media, Part, Reference, Row, ToolCall } from "../model";
import { openNote } from "../workspace";
import { BranchArrows } from "./branch_arrows";
import { Icon } from "./icons";
import { MarkdownView } from "./markdown_view";

/** The prose of a row, as it was written. */
export function textOf(row: Row): string {
  const texts = (row.parts ?? []).filter((part) => part.type === "text").map((part) => part.text ?? "");
  const own = texts.length > 0 ? texts.join("\n\n") : (row.content ?? "");
  return [own, ...(row.children ?? []).map(textOf), ...(besideEachOther(row) ?? []).map(textOf)].filter(Boolean).join("\n\n");
}

/** The messages that a row or a block shows beside each other; undefined for one that is a message. */
export function besideEachOther(row: Row): Row[] | undefined {
  return row.columns?.flat() ?? row.members ?? row.tasks ?? row.council;
}

interface SideBySideProps {
  rows: Row[];
  id: string | undefined;
  name: string;
  active?: string | undefined;
}

/** Who says it stands above each. */
export function SideBySide({ rows, id, name, active }: SideBySideProps) {
  return (
    <div className="side-by-side" role="group" aria-label={name}>
      {rows.map((one) => (
        <section key={one.id} className="column" aria-label={speakerOf(one) || undefined}>
          <Speaker words={speakerOf(one)} active={one.id === active} />
          <Blocks row={one} id={id} streaming={one.status?.state === "streaming"} />
        </section>
      ))}
    </div>
  );
}

const speakerOf = (row: Row): string => row.origin?.title ?? row.agentId ?? row.model ?? "";

/** Who says what follows, where several do. */
export function Speaker({ words, active = false }: { words: string; active?: boolean }) {
  if (!words && !active) return null;
  return (
    <p className="speaker">
      {words}
      {active && <span className="quiet">goes on from here</span>}
    </p>
  );
}

/** A row's own parts, or the steps of a group: those that work fold together, those that answer stand open. */
export function Blocks({ row, streaming, id }: { row: Row; streaming: boolean; id?: string | undefined }) {
  const steps = row.children;
  if (!steps || steps.length === 0) return <Parts row={row} id={id} streaming={streaming} />;
  const lastWorking = steps.findLastIndex((step) => (step.tools?.length ?? 0) > 0);
  const working = steps.slice(0, lastWorking + 1);
  const answers = steps.slice(lastWorking + 1);
  const last = steps.at(-1);
  const calls = working.reduce((sum, step) => sum + (step.tools?.length ?? 0), 0);
  return (
    <>
      {working.length > 0 && (
        <Fold
          summary={`${streaming && answers.length === 0 ? "Working" : "Worked"} · ${calls} ${calls === 1 ? "call" : "calls"}`}
          open={streaming}
        >
          {working.map((step) => (
            <Step key={step.id} step={step} id={id} arrows={step.id !== row.id} streaming={streaming && step === last} />
          ))}
        </Fold>
      )}
      {answers.map((step) => (
        <Step key={step.id} step={step} id={id} arrows={step.id !== row.id} streaming={streaming && step === last} />
      ))}
      <Reports row={row} id={id} />
    </>
  );
}

interface StepProps {
  step: Row;
  id: string | undefined;
  arrows: boolean;
  streaming: boolean;
}

function Step({ step, id, arrows, streaming }: StepProps) {
  if (step.council) return <SideBySide rows={step.council} id={id} name="Council" />;
  return (
    <>
      <Parts row={step} id={id} streaming={streaming} />
      {arrows && id !== undefined && step.branch && <BranchArrows id={id} branch={step.branch} disabled={streaming} />}
    </>
  );
}

/** What was said about tools while they ran, and what tasks in the background reported. */
function Reports({ row, id }: { row: Row; id: string | undefined }) {
  const told = [
    ...(row.signalCallbacks ?? []).map((one) => ({ name: `While ${one.sourceToolName ?? "a tool"} ran`, rows: one.callbacks })),
    ...(row.taskCompletions?.length ? [{ name: "Reports of tasks", rows: row.taskCompletions }] : []),
  ];
  return told.map(({ name, rows }, index) => (
    <Fold key={index} summary={`${name} · ${rows.length}`}>
      {rows.map((one) => (
        <Parts key={one.id} row={one} id={id} streaming={false} />
      ))}
    </Fold>
  ));
}

function Fold({ summary, open = false, children }: { summary: string; open?: boolean; children: ReactNode }) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  return (
    <details
      className="fold"
      open={chosen ?? open}
      onToggle={(event) => event.currentTarget.open !== (chosen ?? open) && setChosen(event.currentTarget.open)}
    >
      <summary>{summary}</summary>
      {children}
    </details>
  );
}

interface PartsProps {
  row: Row;
  id: string | undefined;
  streaming: boolean;
}

function Parts({ row, id, streaming }: PartsProps) {
  const parts = row.parts ?? partsOf(row);
  const shown = parts.filter((part) => part.type !== "reference" && part.type !== "source");
  if (shown.length === 0) return streaming ? <Waiting /> : null;
  return (
    <div className={streaming ? "parts streaming" : "parts"}>
      {shown.map((part, index) => (
        <OnePart key={index} part={part} id={id} tools={row.tools ?? []} />
      ))}
    </div>
  );
}

/** Parts for a block that has only the derived fields. */
function partsOf(row: Row): Part[] {
  return [
    ...(row.reasoning?.content ? [{ type: "reasoning", text: row.reasoning.content }] : []),
    ...(row.content ? [{ type: "text", text: row.content }] : []),
    ...(row.tools ?? []).map((call) => ({ type: "toolCall", callId: call.id })),
    ...(row.error?.message ? [{ type: "error", message: row.error.message }] : []),
  ];
}

function Waiting() {
  return (
    <p className="waiting" role="img" aria-label="The reply is on its way">
      <i />
      <i />
      <i />
    </p>
  );
}

interface PartProps {
  part: Part;
  id: string | undefined;
  tools: ToolCall[];
}

function OnePart({ part, id, tools }: PartProps) {
  switch (part.type) {
    case "text":
      return <MarkdownView text={part.text ?? ""} />;
    case "reasoning":
      return <Reasoning part={part} />;
    case "toolCall":
      return <Call part={part} call={tools.find((one) => one.id === part.callId)} />;
    case "toolResult":
      return null;
    case "image":
      return <Picture part={part} id={id} />;
    case "refusal":
      return <p className="notice warning">{part.text}</p>;
    case "error":
      return (
        <p className="notice error">
          <Icon name="warning" />
          <span>{part.message}</span>
        </p>
      );
    case "file":
    case "audio":
    case "video":
      return <p className="chip">{part.name || part.type}</p>;
    default:
      return (
        <Fold summary={`A part of the kind “${part.type}”`}>
          <pre className="raw" tabIndex={0}>
            {JSON.stringify(part, null, 2)}
          </pre>
        </Fold>
      );
  }
}

function Reasoning({ part }: { part: Part }) {
  const seconds = part.duration ? ` for ${Math.max(1, Math.round(part.duration / 1000))} s` : "";
  if (part.redacted) return <p className="quiet">The model thought{seconds}; its provider keeps the words.</p>;
  return (
    <Fold summary={`Thought${seconds}`}>
      <MarkdownView text={part.text ?? ""} />
    </Fold>
  );
}

function Call({ part, call }: { part: Part; call: ToolCall | undefined }) {
  const name = part.name ?? call?.apiName ?? "a tool";
  const given = part.arguments ?? call?.arguments ?? "";
  const result = call?.result;
  const state = result ? (result.error ? "failed" : "done") : (part.state?.state ?? "called");
  return (
    <Fold summary={`${name} · ${state}`}>
      {given && (
        <pre className="raw" tabIndex={0} role="region" aria-label="Arguments">
          {pretty(given)}
        </pre>
      )}
      {result?.content && (
        <pre className="raw" tabIndex={0} role="region" aria-label="Result">
          {result.content}
        </pre>
      )}
    </Fold>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Pictures that are in the message, or stored with it, are drawn; one on another host is a link, never fetched. */
function Picture({ part, id }: { part: Part; id: string | undefined }) {
  const [broken, setBroken] = useState(false);
  const media: Media | undefined = part.media;
  const words = part.alt || part.name || "picture";
  if (media?.kind === "blob" && media.digest && id !== undefined && !broken) {
    return <img className="picture" src={blobAddress(id, media.digest)} alt={words} onError={() => setBroken(true)} />;
  }
  if (media?.kind === "inline" && /^image\/(png|jpeg|gif|webp|avif)$/.test(part.mediaType ?? "")) {
    return <img className="picture" src={`data:${part.mediaType};base64,${media.data}`} alt={words} />;
  }
  if (media?.kind === "url" && /^https?:/.test(media.url ?? "")) {
    return (
      <p>
        <a className="remote-picture" href={media.url} target="_blank" rel="noopener noreferrer nofollow">
          {words}
        </a>
      </p>
    );
  }
  return <p className="chip">{words}</p>;
}

export function AttachedNotes({ parts }: { parts: Part[] }) {
  const references = parts.flatMap((part) => (part.type === "reference" && part.reference ? [part.reference] : []));
  if (references.length === 0) return null;
  return (
    <ul className="attached" aria-label="Attached">
      {references.map((reference, index) => (
        <li key={index}>
          <ReferenceChip reference={reference} />
        </li>
      ))}
    </ul>
  );
}

function ReferenceChip({ reference }: { reference: Reference }) {
  const path = "path" in reference && typeof reference.path === "string" ? reference.path : null;
  const words = path ?? String(Object.values(reference)[1] ?? reference.kind);
  const name = words.replace(/^.*\//, "").replace(/\.md$/, "");
  if (reference.kind === "search") {
    return (
      <span className="chip" title={`Looked for: ${words}`}>
        <Icon name="search" />
        all notes
      </span>
    );
  }
  if (reference.kind !== "note" || path === null) {
    return (
      <span className="chip">
        {reference.kind}: {name.slice(0, 60)}
      </span>
    );
  }
  return (
    <button type="button" className="chip" onClick={() => openNote(path)} title={path}>
      <Icon name="note" />
      {name}
    </button>
  );
}
