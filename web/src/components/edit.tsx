import { useEffect, useRef, useState } from "react";

import { api } from "../api";
import type { Reference, Row } from "../model";
import { attempt } from "../workspace";
import { textOf } from "./parts";

interface Props {
  id: string;
  row: Row;
  onEnd: () => void;
}

/** A search that went with the message looks for the new words; otherwise what is attached simply stays. */
function referencesFor(row: Row, text: string): Reference[] | undefined {
  const attached = (row.parts ?? []).flatMap((part) => (part.type === "reference" && part.reference ? [part.reference] : []));
  const pictured = row.parts?.some((part) => part.type === "image");
  if (pictured || !attached.some((one) => one.kind === "search")) return undefined;
  return attached.map((one) => (one.kind === "search" ? { ...one, query: text.trim() } : one));
}

/** Say it otherwise, with an answer or without one. What was said before stays, as a branch beside it. */
export function Edit({ id, row, onEnd }: Props) {
  const [text, setText] = useState(() => textOf(row));
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = field.current!;
    element.focus();
    element.setSelectionRange(element.value.length, element.value.length);
  }, []);
  const mine = row.role === "user";
  const send = (answer: boolean) => {
    onEnd();
    if (text.trim()) void attempt(() => api.edit(id, row.id, text, referencesFor(row, text), answer));
  };
  return (
    <form
      className="edit"
      onSubmit={(event) => {
        event.preventDefault();
        send(mine);
      }}
    >
      <textarea
        ref={field}
        className="field"
        aria-label={mine ? "Edit your message" : "Edit this reply"}
        rows={Math.min(12, text.split("\n").length + 1)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") (event.preventDefault(), onEnd());
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            send(mine);
          }
        }}
      />
      <div className="dialog-buttons">
        <span className="quiet">The earlier version stays beside this one.</span>
        <button type="button" className="button" onClick={onEnd}>
          Cancel
        </button>
        {mine && (
          <button type="button" className="button" onClick={() => send(false)}>
            Keep without an answer
          </button>
        )}
        <button type="submit" className="button main">
          {mine ? "Send" : "Keep"}
        </button>
      </div>
    </form>
  );
}
