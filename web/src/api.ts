/** Calls to the server. Every failure is a `CallError` with a sentence that a person can read. */

import type { Conversation, Imported, Inspection, ModelInfo, Note, NoteInfo, Project, Reference, SearchHit, Sent, Status } from "./model";

export class CallError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

interface Problem {
  title?: string;
  detail?: string;
  errors?: { message: string; path: string }[];
}

async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const init: RequestInit = { method };
  if (body !== undefined) {
    init.headers = { "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(`/api${path}`, init);
  } catch {
    throw new CallError("The server does not answer. Is it still running?", 0);
  }
  if (!response.ok) throw new CallError(await sentenceOf(response), response.status);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

async function upload<Answer>(path: string, file: File): Promise<Answer> {
  const init = { method: "POST", headers: { "content-type": "application/octet-stream" }, body: file };
  const response = await fetch(`/api${path}`, init).catch(() => null);
  if (response === null) throw new CallError("The server does not answer. Is it still running?", 0);
  if (!response.ok) throw new CallError(await sentenceOf(response), response.status);
  return (await response.json()) as Answer;
}

async function sentenceOf(response: Response): Promise<string> {
  try {
    const problem = (await response.json()) as Problem;
    const first = problem.errors?.[0];
    return (first && `${first.message} (${first.path})`) || problem.detail || problem.title || response.statusText;
  } catch {
    return response.statusText || `The server answered ${response.status}.`;
  }
}

const one = (id: string) => `/conversations/${encodeURIComponent(id)}`;
const message = (id: string, messageId: string) => `${one(id)}/messages/${encodeURIComponent(messageId)}`;
const byPath = (path: string) => path.split("/").map(encodeURIComponent).join("/");

export const api = {
  status: () => call<Status>("GET", "/status"),
  models: () => call<{ models: ModelInfo[] }>("GET", "/models"),
  projects: () => call<{ projects: Project[] }>("GET", "/projects"),
  putProject: (project: Project) => call<Project>("PUT", "/projects", project),
  conversations: (projectId: string, before?: number, words?: string) => {
    const query = new URLSearchParams({ projectId, limit: "100" });
    if (before !== undefined) query.set("before", String(before));
    if (words) query.set("words", words);
    return call<{ conversations: Conversation[] }>("GET", `/conversations?${query}`);
  },
  create: (projectId: string) => call<Conversation>("POST", "/conversations", { projectId }),
  rename: (id: string, title: string) => call<Conversation>("PATCH", one(id), { title }),
  remove: (id: string) => call<void>("DELETE", one(id)),
  send: (id: string, sent: Sent) => call<void>("POST", `${one(id)}/messages`, sent),
  stop: (id: string) => call<{ stopped: boolean }>("POST", `${one(id)}/stop`),
  warm: (id: string, references: Reference[]) => call<void>("POST", `${one(id)}/warm`, { references }),
  edit: (id: string, messageId: string, text: string, references?: Reference[], answer = true) =>
    call<void>("POST", `${message(id, messageId)}/edit`, { text, answer, ...(references && { references }) }),
  regenerate: (id: string, messageId: string) => call<void>("POST", `${message(id, messageId)}/regenerate`),
  switchTo: (id: string, messageId: string) => call<void>("POST", `${message(id, messageId)}/switch`),
  mark: (id: string, messageId: string, favorite: boolean) =>
    call<void>("PUT", `${message(id, messageId)}/favorite`, { favorite }),
  removeMessage: (id: string, messageId: string) => call<void>("DELETE", message(id, messageId)),
  import: (file: File, projectId: string) =>
    upload<Imported>(`/imports?${new URLSearchParams({ name: file.name, projectId })}`, file),
  inspect: (id: string, messageId: string) =>
    call<Inspection>("GET", `${one(id)}/inspection?${new URLSearchParams({ messageId })}`),
  preview: (id: string, sent: Sent) => call<Inspection>("POST", `${one(id)}/preview`, sent),
  search: (words: string) => call<{ notes: NoteInfo[]; hits: SearchHit[] }>("GET", `/search?${new URLSearchParams({ q: words })}`),
  note: (path: string) => call<Note>("GET", `/notes/${byPath(path)}`),
  link: (link: string, source?: string) =>
    call<{ path: string | null }>("GET", `/links?${new URLSearchParams(source ? { link, source } : { link })}`),
};

export const eventsAddress = (id: string) => `/api${one(id)}/events`;
export const blobAddress = (id: string, digest: string) => `/api${one(id)}/blobs/${encodeURIComponent(digest)}`;
export const pictureAddress = (path: string) => `/api/pictures/${byPath(path)}`;
