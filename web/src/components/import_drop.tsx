import { useEffect, useRef, useState } from "react";

import { api, CallError } from "../api";
import type { Imported } from "../model";
import { useStore } from "../store";
import { go, refresh, workspace } from "../workspace";
import { IconButton } from "./button";
import { Dialog } from "./dialog";

interface Result {
  name: string;
  outcome: Imported | string | null;
}

/** Chats of other programs: drop their export anywhere on the page, or choose the file. */
export function ImportDrop() {
  // undefined until the server said so: a file dropped before that is still ours, not the browser's
  const imports = useStore(workspace, (value) => value.status?.imports);
  const chooser = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [results, setResults] = useState<Result[]>([]);

  useEffect(() => {
    if (imports === false) return;
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const dragged = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const left = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const dropped = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(false);
      void take([...(event.dataTransfer?.files ?? [])]);
    };
    document.addEventListener("dragover", dragged);
    document.addEventListener("dragleave", left);
    document.addEventListener("drop", dropped);
    return () => {
      document.removeEventListener("dragover", dragged);
      document.removeEventListener("dragleave", left);
      document.removeEventListener("drop", dropped);
    };
  }, [imports]);

  const take = async (files: File[]) => {
    setResults(files.map((file) => ({ name: file.name, outcome: null })));
    for (const [place, file] of files.entries()) {
      const outcome = await api
        .import(file, workspace.get().projectId)
        .catch((error: unknown) => (error instanceof CallError ? error.message : String(error)));
      setResults((known) => known.map((one, index) => (index === place ? { ...one, outcome } : one)));
    }
    await refresh();
  };

  if (imports === false) return null;
  const [first] = results;
  const single = results.length === 1 && typeof first?.outcome === "object" ? (first.outcome?.conversationId ?? null) : null;
  return (
    <>
      {imports === true && (
        <IconButton icon="inbox" label="Import chats of another program" onClick={() => chooser.current?.click()} />
      )}
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Export of another program"
        onChange={(event) => {
          void take([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      {over && <div className="drop">Drop the export of another program to read its conversations</div>}
      {results.length > 0 && (
        <Dialog title="Import" onClose={() => setResults([])}>
          <ul className="imported" aria-live="polite">
            {results.map((result, index) => (
              <li key={index}>
                <b>{result.name}</b>
                <Outcome outcome={result.outcome} />
              </li>
            ))}
          </ul>
          <div className="dialog-buttons">
            {single !== null && (
              <button type="button" className="button" onClick={() => (setResults([]), go(single))}>
                Open it
              </button>
            )}
            <button type="button" className="button main" onClick={() => setResults([])} autoFocus>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

const SHOWN = 8;
const count = (value: number, word: string, many = `${word}s`) => `${value.toLocaleString("en")} ${value === 1 ? word : many}`;

function Outcome({ outcome }: { outcome: Result["outcome"] }) {
  if (outcome === null) return <p className="quiet">Reading…</p>;
  if (typeof outcome === "string") return <p className="notice error">{outcome}</p>;
  if (outcome.format === null) return <p className="notice warning">Nothing in this file could be read.</p>;
  const { title, conversations, messages, branches, hidden, skipped } = outcome;
  const warnings = Object.entries(outcome.warnings);
  return (
    <>
      <p>
        {title}: {count(conversations, "conversation")} with {count(messages, "message")}
        {branches > 0 && `, ${count(branches, "branch", "branches")}`}
        {hidden > 0 && `, ${hidden.toLocaleString("en")} hidden`}.
      </p>
      <p>{news(outcome)}</p>
      {warnings.length > 0 && (
        <dl className="warnings">
          {warnings.map(([code, times]) => (
            <div key={code}>
              <dt>{code.replace(/^W_/, "").replaceAll("_", " ").toLowerCase()}</dt>
              <dd>{times.toLocaleString("en")}</dd>
            </div>
          ))}
        </dl>
      )}
      {skipped.slice(0, SHOWN).map(([where, why], index) => (
        <p key={index} className="quiet">
          Left out{where && ` ${where}`}: {why}
        </p>
      ))}
      {skipped.length > SHOWN && <p className="quiet">… and {skipped.length - SHOWN} more.</p>}
    </>
  );
}

function news({ created, extended, added }: Imported): string {
  if (added === 0) return "Nothing in it that was not here already.";
  const parts = [
    created > 0 ? `${count(created, "conversation")} new` : "",
    extended > 0 ? `${count(extended, "conversation")} with something new` : "",
  ];
  return `${parts.filter(Boolean).join(", ")}; ${count(added, "message")} added.`;
}
