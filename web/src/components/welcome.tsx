import { useEffect, useState } from "react";

import { api } from "../api";
import { attachToMessage } from "../draft";
import type { NoteInfo } from "../model";
import { useStore } from "../store";
import { workspace } from "../workspace";
import { Icon, Mark } from "./icons";

/** What an empty conversation shows: what can be done here, and a few notes to begin with. */
export function Welcome() {
  const vault = useStore(workspace, (value) => value.status?.vault ?? null);
  const [notes, setNotes] = useState<NoteInfo[]>([]);
  useEffect(() => {
    if (vault !== null) api.search("").then((found) => setNotes(found.notes.slice(0, 6)), () => undefined);
  }, [vault]);
  return (
    <div className="welcome">
      <Mark />
      <h2>What would you like to know?</h2>
      <p>
        Ask anything. Attach a note with <kbd>@</kbd> and the answer rests on it.
      </p>
      {notes.length > 0 && (
        <ul className="begin">
          {notes.map((note) => (
            <li key={note.path}>
              <button type="button" onClick={() => attachToMessage(note)}>
                <Icon name="note" />
                <span>
                  {note.title}
                  <small>{note.path}</small>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
