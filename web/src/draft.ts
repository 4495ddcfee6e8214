/** What is being written, for each conversation, with what is attached to it. */

import { api } from "./api";
import type { Reference, Sent } from "./model";
import { createStore } from "./store";
import { attempt, look, theConversation, workspace } from "./workspace";

export interface Attachment {
  path: string;
  title: string;
  /** `reading`: the model reads it ahead of the question; `missing`: it cannot be read. */
  state: "reading" | "ready" | "missing";
}

interface Draft {
  text: string;
  attachments: Attachment[];
  /** Whether all notes are looked through for what is asked; it stays on from one question to the next. */
  everywhere: boolean;
  /** What is asked of the answers beside the words; it stays on too. */
  wish: string;
  /** Whether the model is told today's date. */
  dated: boolean;
}

const NONE: Draft = { text: "", attachments: [], everywhere: false, wish: "", dated: false };
export const drafts = createStore<{ byConversation: Record<string, Draft> }>({ byConversation: {} });

const here = () => workspace.get().live?.id ?? "";
export const draftOf = (id: string | undefined): Draft => drafts.get().byConversation[id ?? ""] ?? NONE;

function change(id: string, by: Partial<Draft>): void {
  const { byConversation } = drafts.get();
  drafts.set({ byConversation: { ...byConversation, [id]: { ...draftOf(id), ...by } } });
}

export const write = (text: string): void => change(here(), { text });

export const lookEverywhere = (everywhere: boolean): void => change(here(), { everywhere });

export const wishFor = (wish: string): void => change(here(), { wish });

export const tellDate = (dated: boolean): void => change(here(), { dated });

export function detach(path: string): void {
  change(here(), { attachments: draftOf(here()).attachments.filter((one) => one.path !== path) });
}

function mark(id: string, path: string, state: Attachment["state"]): void {
  change(id, { attachments: draftOf(id).attachments.map((one) => (one.path === path ? { ...one, state } : one)) });
}

/** Attach a note; the model begins to read it at once, so that the first word comes sooner. */
export function attachToMessage({ path, title }: { path: string; title: string }): void {
  const before = here();
  const { attachments } = draftOf(before);
  if (attachments.some((one) => one.path === path)) return;
  change(before, { attachments: [...attachments, { path, title, state: "reading" }] });
  document.getElementById("message")?.focus();
  void attempt(async () => {
    const id = await theConversation();
    if (before !== id) (change(id, draftOf(before)), change(before, NONE));
    await readAhead(id, path);
  });
}

async function readAhead(id: string, path: string): Promise<void> {
  const there = await api.note(path).then(
    () => true,
    () => false,
  );
  mark(id, path, there ? "reading" : "missing");
  if (!there) return;
  await api.warm(id, notesOf(draftOf(id))).catch(() => undefined);
  mark(id, path, "ready");
}

const notesOf = ({ attachments }: Pick<Draft, "attachments">): Reference[] =>
  attachments.map((one) => ({ kind: "note", path: one.path }));

/** Everything that goes with a draft: what is attached, and the search for what it asks. */
export function attachedTo({ text, attachments, everywhere }: Draft): Reference[] {
  const search = everywhere && text.trim() ? [{ kind: "search", query: text.trim() }] : [];
  return [...notesOf({ attachments }), ...search];
}

function sentOf(draft: Draft): Sent {
  const wish = draft.wish.trim();
  return { text: draft.text, references: attachedTo(draft), directives: wish ? [wish] : [], dated: draft.dated };
}

/** What the model would be given for the draft as it stands; it needs a conversation to stand in. */
export async function lookAhead(): Promise<void> {
  const before = here();
  const id = await attempt(theConversation);
  if (id === undefined) return;
  if (before !== id) (change(id, draftOf(before)), change(before, NONE));
  const draft = draftOf(id);
  await look(() => api.preview(id, sentOf(draft)), true);
}

/** Send the draft. When that fails, the draft is there again. */
export async function sendDraft(): Promise<void> {
  const before = here();
  const draft = draftOf(before);
  if (!draft.text.trim() && draft.attachments.length === 0) return;
  const { inspection } = workspace.get();
  workspace.set({ failure: null, inspection: inspection?.ahead ? null : inspection });
  const rest = { ...draft, text: "", attachments: [] };
  change(before, rest);
  const sent = await attempt(async () => {
    const id = await theConversation();
    if (before !== id) (change(id, draftOf(before)), change(before, NONE));
    await api.send(id, sentOf(draft));
    return true;
  });
  if (!sent) change(here() || before, draft);
}
