/** The words of the HTTP API, as this page reads them. */

export interface Conversation {
  id: string;
  projectId?: string;
  title?: string;
  updatedAt?: number;
  createdAt?: number;
  model?: string | null;
}

export interface Project {
  id: string;
  name?: string;
  instructions?: string;
}

export interface Diagnostic {
  code: string;
  message: string;
  severity?: "info" | "warning" | "error";
  where?: string | null;
}

export interface NoteInfo {
  path: string;
  title: string;
  size: number;
  modifiedAt: number;
  tags?: string[];
}

/** A piece of a note whose text answers a search. */
export interface SearchHit {
  path: string;
  title: string;
  text: string;
}

/** What is sent with the words. */
export interface Sent {
  text: string;
  references: Reference[];
  directives: string[];
  dated: boolean;
}

export interface Note {
  info: NoteInfo;
  /** The whole file; `body` is what follows its front matter. */
  text: string;
  body: string;
}

export interface ModelInfo {
  id: string;
  name: string;
  note: string;
}

export interface Status {
  version: string;
  model: ModelInfo | null;
  vault: string | null;
  notes: number;
  imports: boolean;
  searches: boolean;
  diagnostics: Diagnostic[];
}

/** What was in an imported file. */
export interface Imported {
  format: string | null;
  title: string;
  conversations: number;
  messages: number;
  branches: number;
  hidden: number;
  created: number;
  extended: number;
  added: number;
  conversationId: string | null;
  warnings: Record<string, number>;
  skipped: [string, string][];
}

export type Reference =
  | { kind: "note"; path: string; heading?: string }
  | { kind: "selection"; text: string; path?: string; title?: string }
  | { kind: string; [field: string]: unknown };

export interface Media {
  kind: "url" | "blob" | "inline" | "provider";
  url?: string;
  digest?: string;
  data?: string;
}

/** A part of a message; parts that this page does not know are shown as what they are. */
export interface Part {
  type: string;
  text?: string;
  reference?: Reference;
  callId?: string;
  name?: string;
  arguments?: string;
  media?: Media;
  mediaType?: string;
  alt?: string;
  message?: string;
  title?: string;
  quote?: string;
  path?: string;
  url?: string;
  startLine?: number;
  endLine?: number;
  duration?: number;
  redacted?: boolean;
  state?: { state: string };
  [field: string]: unknown;
}

export interface ToolCall {
  id: string;
  apiName?: string;
  identifier?: string;
  arguments?: string;
  result?: { content?: string; error?: unknown };
}

export type ReplyStatus =
  | { state: "streaming" }
  | { state: "complete"; reason?: string }
  | { state: "incomplete"; reason: string; error?: string }
  | { state: "awaitingApproval"; callIds: string[] };

export interface Branch {
  activeBranchIndex: number;
  count: number;
  ids?: string[];
}

export interface Row {
  id: string;
  role: string;
  parts?: Part[];
  content?: string;
  status?: ReplyStatus;
  branch?: Branch;
  tools?: ToolCall[];
  children?: Row[];
  columns?: Row[][];
  members?: Row[];
  tasks?: Row[];
  error?: { message?: string };
  reasoning?: { content?: string; duration?: number };
  hidden?: boolean;
  favorite?: boolean;
  agentId?: string;
  /** The group whose agents speak with each other. */
  groupId?: string;
  origin?: { kind: string; title?: string };
  metadata?: { directives?: unknown; [field: string]: unknown };
  /** The members of a council, in the block that stands for it. */
  council?: Row[];
  /** Which of the columns the conversation goes on from. */
  activeColumnId?: string;
  /** What an assistant said about a tool while it ran. */
  signalCallbacks?: { sourceToolName?: string; callbacks: Row[] }[];
  /** What tasks in the background reported. */
  taskCompletions?: Row[];
  model?: string;
  createdAt?: number;
  usage?: Record<string, unknown>;
  performance?: Record<string, unknown>;
}

export interface SegmentView {
  key: string;
  kind: string;
  form: string;
  tokens: number;
  share: number;
  recoverable?: boolean;
  title?: string;
}

export interface LayerView {
  name: string;
  text: string;
  tokens: number;
  share: number;
  fingerprint: string;
  segments?: SegmentView[];
}

/** What a model is given in one turn. */
export interface Inspection {
  messageId: string;
  epoch: number;
  revision: number;
  layers: LayerView[];
  messages: Row[];
  tokens: number;
  history: number;
  seen: {
    totalBytes: number;
    reusedBytes: number;
    firstDifference: { message: number; layer: string; cause: string } | null;
  };
  cost: { tokens: number; cachedTokens: number; dollars?: number };
  reserve: number;
  window?: number | null;
  report?: { rule: string; sentence: string; severity?: string }[];
  diagnostics?: Diagnostic[];
}

/** Every message that is in no row: why, and under what it is found. */
export type Elsewhere = Record<string, { reason: string; owner?: string | null }>;

export interface ConversationView {
  conversation: Conversation;
  rows: Row[];
  elsewhere: Elsewhere;
  diagnostics: Diagnostic[];
  running: boolean;
  number: number;
}

/** `row` is the place of the row as the list is when the patch is applied; `block` a place among its children. */
export type Patch =
  | { type: "insert-row"; row: number; value: Row }
  | { type: "replace-row"; row: number; value: Row }
  | { type: "remove-row"; row: number }
  | { type: "insert-block"; row: number; block: number; value: Row; fields?: Partial<Row> }
  | { type: "replace-block"; row: number; block: number; value: Row; fields?: Partial<Row> }
  | { type: "append-text"; row: number; block?: number; part?: number; message: string; delta: string };

export interface PatchSet {
  patches: Patch[];
  elsewhere?: Elsewhere;
  conversation?: Conversation;
  running: boolean;
  diagnostics: Diagnostic[];
}
