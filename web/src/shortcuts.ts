/** Keys that work everywhere. Esc closes what is open, else stops the reply. */

import { useEffect } from "react";

import { attempt, go, workspace } from "./workspace";
import { stopReply } from "./live";

export const SHORTCUTS: [string, string][] = [
  ["Enter", "Send"],
  ["Shift + Enter", "New line"],
  ["@", "Attach a note"],
  ["Esc", "Stop the reply, or close what is open"],
  ["/", "Go to the message field"],
  ["Arrow up", "In an empty field: edit your last message"],
  ["Alt + N", "New conversation"],
  ["Alt + Arrow up / down", "Previous or next conversation"],
  ["?", "This list"],
];

const field = () => document.getElementById("message") as HTMLTextAreaElement | null;
const writing = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function useShortcuts(): void {
  useEffect(() => {
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") escape(event);
  else if (event.altKey && event.code === "KeyN") act(event, () => (go(null), field()?.focus()));
  else if (event.altKey && event.key === "ArrowUp") act(event, () => step(-1));
  else if (event.altKey && event.key === "ArrowDown") act(event, () => step(1));
  else if (writing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  else if (event.key === "/") act(event, () => field()?.focus());
  else if (event.key === "?") act(event, () => document.getElementById("shortcuts")?.click());
}

function act(event: KeyboardEvent, doing: () => void): void {
  event.preventDefault();
  doing();
}

function escape(event: KeyboardEvent): void {
  const { note, listOpen, live } = workspace.get();
  if (live?.store.get().running) act(event, () => void attempt(() => stopReply(live.id)));
  else if (listOpen) act(event, () => workspace.set({ listOpen: false }));
  else if (note !== null) act(event, () => workspace.set({ note: null }));
}

function step(by: number): void {
  const { conversations, live } = workspace.get();
  const place = conversations.findIndex((one) => one.id === live?.id);
  const next = conversations[Math.max(0, place + by)];
  if (next) go(next.id);
}
