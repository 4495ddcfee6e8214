import { useEffect, useRef, useState } from "react";

import { api, CallError } from "../api";
import type { Note } from "../model";
import { blockAt } from "../markdown";
import { workspace, type OpenedNote } from "../workspace";
import { attachToMessage } from "../draft";
import { IconButton } from "./button";
import { MarkdownView } from "./markdown_view";

/** A note, as it is now. */
export function NotePanel({ opened }: { opened: OpenedNote }) {
  const { path } = opened;
  const body = useRef<HTMLDivElement>(null);
  const [note, setNote] = useState<Note | string | null>(null);
  useEffect(() => {
    let wanted = true;
    setNote(null);
    api.note(path).then(
      (found) => wanted && setNote(found),
      (error: unknown) => wanted && setNote(error instanceof CallError ? error.message : String(error)),
    );
    return () => {
      wanted = false;
    };
  }, [path]);
  useEffect(() => {
    if (note !== null && typeof note !== "string") showPlace(body.current!, note, opened);
  }, [note, opened]);
  const title = note !== null && typeof note !== "string" ? note.info.title : path;
  return (
    <aside className="note-panel" aria-label={`Note: ${title}`}>
      <header>
        <h2>{title}</h2>
        <IconButton icon="plus" label="Attach this note" onClick={() => attachToMessage({ path, title })} />
        <IconButton icon="close" label="Close the note" onClick={() => workspace.set({ note: null })} />
      </header>
      <div className="note-body" ref={body} tabIndex={0} role="region" aria-label="Text of the note">
        {note === null && <p className="quiet">Reading…</p>}
        {typeof note === "string" && <p className="notice error">{note}</p>}
        {note !== null && typeof note !== "string" && (
          <>
            <p className="note-path">
              {path}
              {note.info.tags?.map((tag) => (
                <span key={tag} className="tag">
                  #{tag}
                </span>
              ))}
            </p>
            <MarkdownView text={withoutTitle(note.body, note.info.title)} note={path} />
          </>
        )}
      </div>
    </aside>
  );
}

/** Bring the block with a line into view: by its words where they are known, else by its number in the file. */
function showPlace(panel: HTMLElement, note: Note, { line, quote }: OpenedNote): void {
  panel.querySelector(".pointed")?.classList.remove("pointed");
  if (line === undefined) return;
  const shown = withoutTitle(note.body, note.info.title);
  const told = quote === undefined ? -1 : shown.indexOf(quote);
  const above = note.text.split("\n").length - shown.split("\n").length;
  const place = told >= 0 ? shown.slice(0, told).split("\n").length : line - above;
  const block = panel.querySelector(".markdown")?.children[blockAt(shown, Math.max(1, place))];
  block?.classList.add("pointed");
  block?.scrollIntoView({ block: "center" });
}

/** The heading that only says the title again stands above already. */
function withoutTitle(body: string, title: string): string {
  const [first = "", ...rest] = body.trimStart().split("\n");
  return first.replace(/^#\s+/, "").trim() === title && first.startsWith("#") ? rest.join("\n") : body;
}
