import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";

import { api } from "../api";
import { attachToMessage, detach, draftOf, drafts, lookAhead, lookEverywhere, sendDraft, tellDate, wishFor, write, type Attachment } from "../draft";
import { stopReply } from "../live";
import type { NoteInfo, Row, SearchHit } from "../model";
import { useStore } from "../store";
import { attempt, openNote, workspace } from "../workspace";
import { IconButton } from "./button";
import { Icon } from "./icons";

/** A note that can be attached, and what stands beside its name. */
interface Choice {
  path: string;
  title: string;
  beside: string;
}

interface Props {
  id: string | undefined;
  running: boolean;
  rows: Row[];
}

const MENTION = /(^|\s)@([^\s@]*)$/;
const LIST = "note-list";
const SHOWN = 7;

/** Where messages are written. `@` finds notes; Enter sends; the same place stops the reply. */
export function Composer({ id, running, rows }: Props) {
  const draft = useStore(drafts, () => draftOf(id));
  const hasVault = useStore(workspace, (value) => value.status?.vault != null);
  const searches = useStore(workspace, (value) => value.status?.searches ?? false);
  const field = useRef<HTMLTextAreaElement>(null);
  const [words, setWords] = useState<string | null>(null);
  const [wishing, setWishing] = useState(false);
  const { notes, chosen, setChosen } = useNotes(hasVault ? words : null);
  useHeight(field, draft.text);
  useLayoutEffect(() => {
    const element = field.current!;
    element.setSelectionRange(element.value.length, element.value.length);
    if (window.matchMedia("(pointer: fine)").matches) element.focus();
  }, []);

  const findMention = () => {
    const element = field.current!;
    setWords(MENTION.exec(element.value.slice(0, element.selectionStart))?.[2] ?? null);
  };
  // what was being written goes on in a new field when its conversation is made meanwhile
  useLayoutEffect(() => {
    if (document.activeElement === field.current) findMention();
  }, [draft.text]);
  const choose = (note: Choice | undefined) => {
    if (note === undefined) return;
    const element = field.current!;
    const before = element.value.slice(0, element.selectionStart).replace(MENTION, "$1");
    write(before + element.value.slice(element.selectionStart));
    setWords(null);
    attachToMessage(note);
  };
  const begin = () => {
    const spaced = draft.text && !/\s$/.test(draft.text) ? `${draft.text} ` : draft.text;
    write(`${spaced}@`);
    requestAnimationFrame(() => {
      const element = field.current!;
      element.focus();
      element.setSelectionRange(element.value.length, element.value.length);
      findMention();
    });
  };
  const send = () => {
    if (!running) void sendDraft();
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (words !== null && notes.length > 0 && picking(event)) return;
    if (event.key === "Escape" && words !== null) return (event.preventDefault(), setWords(null));
    if (event.key === "Enter" && !event.shiftKey) return (event.preventDefault(), send());
    if (event.key === "ArrowUp" && draft.text === "") editLast(event, rows);
  };
  const picking = (event: KeyboardEvent): boolean => {
    if (event.key === "ArrowDown") setChosen((chosen + 1) % notes.length);
    else if (event.key === "ArrowUp") setChosen((chosen + notes.length - 1) % notes.length);
    else if (event.key === "Enter" || event.key === "Tab") choose(notes[chosen]);
    else return false;
    event.preventDefault();
    return true;
  };

  const open = words !== null && hasVault;
  const wished = [draft.wish.trim(), draft.dated ? "today’s date" : ""].filter(Boolean).join("; ");
  const empty = !draft.text.trim() && draft.attachments.length === 0;
  return (
    <form
      className="composer"
      aria-label="Write a message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {open && <NoteList notes={notes} chosen={chosen} onChoose={choose} />}
      <Chips attachments={draft.attachments} />
      {wishing && <Wishes wish={draft.wish} dated={draft.dated} onClose={() => setWishing(false)} />}
      <div className="row">
        {hasVault && <IconButton icon="note" label="Attach a note" onClick={begin} />}
        {searches && (
          <IconButton
            icon="search"
            label="Look through all notes"
            aria-pressed={draft.everywhere}
            onClick={() => lookEverywhere(!draft.everywhere)}
          />
        )}
        <IconButton
          icon="sliders"
          label={wished ? `How to answer: ${wished}` : "How to answer"}
          className={wished ? "set" : ""}
          aria-expanded={wishing}
          onClick={() => setWishing(!wishing)}
        />
        <textarea
          id="message"
          ref={field}
          rows={1}
          placeholder={draft.everywhere ? "Ask all your notes" : hasVault ? "Ask something; @ attaches a note" : "Ask something"}
          aria-label="Message"
          aria-controls={open ? LIST : undefined}
          aria-autocomplete={hasVault ? "list" : undefined}
          aria-activedescendant={open && notes[chosen] ? `note-${chosen}` : undefined}
          value={draft.text}
          onChange={(event) => {
            write(event.target.value);
            findMention();
          }}
          onKeyDown={pressed}
          onClick={findMention}
          onBlur={() => window.setTimeout(() => setWords(null), 150)}
        />
        {!empty && <IconButton icon="layers" label="What would be sent" className="ahead" onClick={() => void lookAhead()} />}
        {running ? (
          <IconButton
            icon="stop"
            label="Stop the reply"
            className="go stop"
            onClick={() => id !== undefined && void attempt(() => stopReply(id))}
          />
        ) : (
          <IconButton icon="send" label="Send" className="go" type="submit" disabled={empty} />
        )}
      </div>
    </form>
  );
}

interface WishesProps {
  wish: string;
  dated: boolean;
  onClose: () => void;
}

/** What is asked of the answers beside the words. */
function Wishes({ wish, dated, onClose }: WishesProps) {
  const closing = (event: KeyboardEvent) => {
    if (event.key !== "Escape" && event.key !== "Enter") return;
    event.preventDefault();
    onClose();
    document.getElementById("message")?.focus();
  };
  return (
    <div className="wishes" role="group" aria-label="How to answer" onKeyDown={closing}>
      <input
        className="field"
        aria-label="Asked of each answer"
        placeholder="Answer in French"
        maxLength={2000}
        value={wish}
        onChange={(event) => wishFor(event.target.value)}
        autoFocus
      />
      <label>
        <input type="checkbox" checked={dated} onChange={(event) => tellDate(event.target.checked)} />
        Tell today’s date
      </label>
    </div>
  );
}

/** Notes by name first, then those whose text has the words, each with the piece that has them. */
function choices(notes: NoteInfo[], hits: SearchHit[]): Choice[] {
  const known = new Set(notes.map((note) => note.path));
  const named = notes.map(({ path, title }) => ({ path, title, beside: path }));
  const told = hits.flatMap(({ path, title, text }) => {
    if (known.has(path)) return [];
    known.add(path);
    return [{ path, title, beside: `… ${text.replace(/\s+/g, " ").trim().slice(0, 120)}` }];
  });
  return [...named.slice(0, told.length > 0 ? SHOWN - 2 : SHOWN), ...told];
}

/** Notes for the words behind an `@`, as they are typed. */
function useNotes(words: string | null) {
  const [notes, setNotes] = useState<Choice[]>([]);
  const [chosen, setChosen] = useState(0);
  useEffect(() => {
    if (words === null) return;
    let wanted = true;
    const ask = () =>
      api.search(words).then(
        (found) => {
          if (!wanted) return;
          setNotes(choices(found.notes, found.hits).slice(0, SHOWN));
          setChosen(0);
        },
        () => undefined,
      );
    const waiting = window.setTimeout(ask, 60);
    return () => {
      wanted = false;
      window.clearTimeout(waiting);
    };
  }, [words]);
  return { notes, chosen, setChosen };
}

/** As high as its text, up to a point. */
function useHeight(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [field, text]);
}

function editLast(event: KeyboardEvent, rows: Row[]): void {
  const mine = rows.findLast((row) => row.role === "user");
  const button = mine && document.querySelector<HTMLElement>(`[data-id="${CSS.escape(mine.id)}"] [aria-label="Edit"]`);
  if (button) (event.preventDefault(), button.click());
}

interface ListProps {
  notes: Choice[];
  chosen: number;
  onChoose: (note: Choice) => void;
}

function NoteList({ notes, chosen, onChoose }: ListProps) {
  return (
    <div className="picker">
      <p className={notes.length === 0 ? "quiet" : "unseen"} role="status">
        {notes.length === 0 ? "No note with these words." : `${notes.length} notes; choose with the arrow keys`}
      </p>
      <ul id={LIST} role="listbox" aria-label="Notes">
        {notes.map((note, index) => (
          <li
            key={note.path}
            id={`note-${index}`}
            role="option"
            aria-selected={index === chosen}
            onPointerDown={(event) => {
              event.preventDefault();
              onChoose(note);
            }}
          >
            <Icon name="note" />
            <span>{note.title}</span>
            <small>{note.beside}</small>
          </li>
        ))}
      </ul>
    </div>
  );
}

const STATES: Record<Attachment["state"], string> = {
  reading: "the model is reading it",
  ready: "read",
  missing: "cannot be read",
};

function Chips({ attachments }: { attachments: Attachment[] }) {
  if (attachments.length === 0) return null;
  return (
    <ul className="chips" aria-label="Attached notes">
      {attachments.map((one) => (
        <li key={one.path} className={`chip ${one.state}`}>
          <button type="button" onClick={() => openNote(one.path)} title={`${one.path}: ${STATES[one.state]}`}>
            <Icon name={one.state === "missing" ? "warning" : one.state === "ready" ? "check" : "note"} />
            {one.title}
            <span className="unseen">, {STATES[one.state]}</span>
          </button>
          <IconButton icon="close" label={`Remove ${one.title}`} onClick={() => detach(one.path)} />
        </li>
      ))}
    </ul>
  );
}
