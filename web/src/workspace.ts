/** What the whole page shares: projects, conversations, which one is open, what has to be said. */

import { api, CallError } from "./api";
import { LiveConversation } from "./live";
import type { Conversation, Inspection, Project, Status } from "./model";
import { createStore } from "./store";
import { recall, remember } from "./theme";

export interface OpenedNote {
  path: string;
  line?: number | undefined;
  quote?: string | undefined;
}

/** `ahead`: nothing of it is sent yet. */
export interface Looked extends Inspection {
  ahead: boolean;
}

export interface Workspace {
  status: Status | null;
  projects: Project[];
  projectId: string;
  conversations: Conversation[];
  more: boolean;
  live: LiveConversation | null;
  /** The id in the address, before its conversation is there. */
  openId: string | null;
  failure: string | null;
  /** Said to screen readers only. */
  said: string;
  /** The note in the third panel, and where in it to look. */
  note: OpenedNote | null;
  /** What was, or would be, given to the model; in the third panel too. */
  inspection: Looked | null;
  listOpen: boolean;
}

const PROJECT = "triptych.project";
const PAGE = 100;

export const workspace = createStore<Workspace>({
  status: null,
  projects: [],
  projectId: recall(PROJECT) ?? "default",
  conversations: [],
  more: false,
  live: null,
  openId: null,
  failure: null,
  said: "",
  note: null,
  inspection: null,
  listOpen: false,
});

/** Do it; when it fails, say so and give back undefined. */
export async function attempt<Answer>(doing: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await doing();
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    workspace.set({ failure: error.message });
    return undefined;
  }
}

export function say(words: string): void {
  workspace.set({ said: "" });
  requestAnimationFrame(() => workspace.set({ said: words }));
}

const addressed = () => /^\/c\/([^/]+)$/.exec(window.location.pathname)?.[1] ?? null;

export async function start(): Promise<void> {
  window.addEventListener("popstate", () => show(addressed()));
  window.addEventListener("focus", () => void refresh());
  show(addressed());
  await attempt(async () => {
    const [status, { projects }] = await Promise.all([api.status(), api.projects()]);
    workspace.set({ status, projects });
    if (!projects.some((project) => project.id === workspace.get().projectId)) workspace.set({ projectId: "default" });
  });
  await refresh();
  const newest = workspace.get().conversations[0];
  if (workspace.get().openId === null && newest && window.location.pathname === "/") go(newest.id, true);
}

export async function refresh(): Promise<void> {
  const { projectId } = workspace.get();
  const found = await attempt(() => api.conversations(projectId));
  if (found && workspace.get().projectId === projectId) {
    workspace.set({ conversations: found.conversations, more: found.conversations.length === PAGE });
  }
}

export async function showMore(): Promise<void> {
  const { projectId, conversations } = workspace.get();
  const last = conversations.at(-1)?.updatedAt;
  if (last === undefined) return;
  const found = await attempt(() => api.conversations(projectId, last));
  if (found) {
    const known = new Set(conversations.map((one) => one.id));
    const fresh = found.conversations.filter((one) => !known.has(one.id));
    workspace.set({ conversations: [...conversations, ...fresh], more: found.conversations.length === PAGE });
  }
}

/** Open a conversation (null: a new one that does not exist yet) and put it into the address. */
export function go(id: string | null, replace = false): void {
  const address = id === null ? "/new" : `/c/${encodeURIComponent(id)}`;
  if (window.location.pathname !== address) window.history[replace ? "replaceState" : "pushState"](null, "", address);
  show(id);
}

function show(id: string | null): void {
  const { live } = workspace.get();
  workspace.set({ openId: id, listOpen: false, failure: null, inspection: null });
  if (live?.id === id) return;
  live?.close();
  workspace.set({ live: id === null ? null : new LiveConversation(decodeURIComponent(id), take) });
}

/** The newest facts about a conversation, wherever they came from. */
function take(conversation: Conversation): void {
  const { conversations, projectId } = workspace.get();
  if ((conversation.projectId ?? "default") !== projectId) return;
  const others = conversations.filter((one) => one.id !== conversation.id);
  const list = [conversation, ...others].sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
  workspace.set({ conversations: list });
}

let starting: Promise<string> | null = null;

/** The open conversation; one is started when there is none, and only one, whoever asks meanwhile. */
export function theConversation(): Promise<string> {
  const { live, projectId } = workspace.get();
  if (live !== null) return Promise.resolve(live.id);
  starting ??= begin(projectId).finally(() => {
    starting = null;
  });
  return starting;
}

async function begin(projectId: string): Promise<string> {
  const conversation = await api.create(projectId);
  take(conversation);
  if (workspace.get().live === null) go(conversation.id, true);
  return conversation.id;
}

export async function rename(id: string, title: string): Promise<void> {
  const conversation = await attempt(() => api.rename(id, title));
  if (conversation) take(conversation);
}

export async function remove(id: string): Promise<void> {
  const gone = await attempt(async () => {
    await api.remove(id);
    return true;
  });
  if (!gone) return;
  const rest = workspace.get().conversations.filter((one) => one.id !== id);
  workspace.set({ conversations: rest });
  if (workspace.get().live?.id === id) go(rest[0]?.id ?? null, true);
  say("Conversation deleted");
}

export async function chooseProject(projectId: string): Promise<void> {
  remember(PROJECT, projectId);
  workspace.set({ projectId, conversations: [], more: false });
  go(null);
  await refresh();
}

export async function addProject(name: string): Promise<void> {
  const id = `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "project"}-${Date.now().toString(36)}`;
  const project = await attempt(() => api.putProject({ id, name }));
  if (!project) return;
  workspace.set({ projects: [...workspace.get().projects, project] });
  await chooseProject(project.id);
}

export function openNote(path: string, line?: number, quote?: string): void {
  workspace.set({ note: { path, line, quote }, inspection: null });
}

/** Show what a model was given for a reply, or would be given for a draft. */
export async function look(asking: () => Promise<Inspection>, ahead = false): Promise<void> {
  const found = await attempt(asking);
  if (found) workspace.set({ inspection: { ...found, ahead }, note: null });
}
