/** A conversation as it is on the server, kept current by its stream of events. */

import { api, eventsAddress } from "./api";
import type { Conversation, ConversationView, Diagnostic, Elsewhere, Patch, PatchSet, Row } from "./model";
import { applyPatches } from "./patches";
import { createStore, type Store } from "./store";

export interface LiveState {
  phase: "loading" | "ready" | "lost" | "gone";
  conversation: Conversation | null;
  rows: Row[];
  elsewhere: Elsewhere;
  diagnostics: Diagnostic[];
  running: boolean;
}

const REST = 60_000;

export class LiveConversation {
  readonly store: Store<LiveState> = createStore<LiveState>({
    phase: "loading",
    conversation: null,
    rows: [],
    elsewhere: {},
    diagnostics: [],
    running: false,
  });
  private source: EventSource | null = null;
  private last = "";
  private waiting: Patch[] = [];
  private frame = 0;
  private rest = 0;

  constructor(
    readonly id: string,
    private readonly described: (conversation: Conversation) => void,
  ) {
    this.connect();
    document.addEventListener("visibilitychange", this.seen);
  }

  close(): void {
    document.removeEventListener("visibilitychange", this.seen);
    window.clearTimeout(this.rest);
    this.disconnect();
  }

  /** A page that nobody looks at gives its connection back after a while; browsers have only a few. */
  private readonly seen = (): void => {
    window.clearTimeout(this.rest);
    if (document.hidden) this.rest = window.setTimeout(() => this.disconnect(), REST);
    else if (this.source === null) this.connect();
  };

  private connect(): void {
    const after = this.last ? `?${new URLSearchParams({ after: this.last })}` : "";
    const source = new EventSource(eventsAddress(this.id) + after);
    this.source = source;
    source.addEventListener("snapshot", (event) => this.take(event, (data: ConversationView) => this.start(data)));
    source.addEventListener("patch", (event) => this.take(event, (data: PatchSet) => this.patch(data)));
    source.addEventListener("error", () => void this.failed(source));
  }

  private disconnect(): void {
    this.source?.close();
    this.source = null;
  }

  private take<Data>(event: MessageEvent<string>, use: (data: Data) => void): void {
    this.last = event.lastEventId;
    use(JSON.parse(event.data) as Data);
  }

  private start(view: ConversationView): void {
    this.waiting = [];
    this.store.set({
      phase: "ready",
      conversation: view.conversation,
      rows: view.rows,
      elsewhere: view.elsewhere,
      diagnostics: view.diagnostics,
      running: view.running,
    });
    this.described(view.conversation);
  }

  private patch(set: PatchSet): void {
    this.waiting.push(...set.patches);
    if (set.elsewhere) this.store.set({ elsewhere: set.elsewhere });
    if (set.conversation) {
      this.described(set.conversation);
      this.store.set({ conversation: set.conversation });
    }
    const { running, phase, diagnostics } = this.store.get();
    if (running !== set.running || phase !== "ready" || diagnostics.length + set.diagnostics.length > 0) {
      this.flush();
      this.store.set({ running: set.running, diagnostics: set.diagnostics, phase: "ready" });
    } else if (!this.frame) {
      this.frame = requestAnimationFrame(() => this.flush());
    }
  }

  /** Many small patches are drawn as one. */
  private flush(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const patches = this.waiting;
    this.waiting = [];
    this.store.set({ rows: applyPatches(this.store.get().rows, patches) });
  }

  /** The browser reconnects by itself, unless the server said that there is nothing here. */
  private async failed(source: EventSource): Promise<void> {
    if (source !== this.source) return;
    if (source.readyState !== EventSource.CLOSED) {
      this.store.set({ phase: "lost" });
      return;
    }
    this.source = null;
    const there = await fetch(eventsAddress(this.id).replace(/\/events$/, "")).catch(() => null);
    this.store.set({ phase: there?.status === 404 ? "gone" : "lost" });
    if (there?.status !== 404) window.setTimeout(() => this.source === null && this.connect(), 2000);
  }
}

export async function stopReply(id: string): Promise<void> {
  await api.stop(id);
}
