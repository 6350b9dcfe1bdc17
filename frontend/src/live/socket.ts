/** The live feed: one WebSocket that resumes where it stopped, notices when it went silent, and tells how it stands.
 *
 * Events are handed on once per animation frame, each once (by id). The cursor is taken from event frames only: a
 * heartbeat may already count events that were still on their way when the line broke.
 */
import type { LiveEvent, LiveFrame } from "./protocol.ts";

/** `silent`: the line stands, yet the server says nothing: what is on screen may be old. */
export type LiveStatus = "connecting" | "live" | "silent" | "lost" | "refused";

export interface LiveHooks {
  events(events: LiveEvent[]): void;
  /** Some events are gone: fetch every snapshot again. */
  reset(): void;
  status(status: LiveStatus): void;
  /** Any sign of life of the server. */
  heard(atMs: number): void;
  signedOut(): void;
}

export interface LiveWorld {
  open(url: string): WebSocket;
  now(): number;
  after(ms: number, run: () => void): unknown;
  cancel(timer: unknown): void;
  /** Runs at the next frame (or soon, in a hidden tab). */
  frame(run: () => void): void;
}

/** The server says something every 2 s; two missed beats and some slack, and the page no longer claims to be live. */
export const QUIET_MS = 4_500;
/** So long without a word, and the line is given up though nobody closed it. */
export const SILENCE_MS = 20_000;
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
const REMEMBERED_IDS = 20_000;
const SIGNED_OUT = 4401;
const FORBIDDEN = 4403;

export class LiveSocket {
  cursor = "";
  private socket: WebSocket | null = null;
  private attempt = 0;
  private retry: unknown = null;
  private watchdog: unknown = null;
  private greeted = false;
  private quiet = false;
  private queue: LiveEvent[] = [];
  private flushing = false;
  private seen = new Set<number>();
  private stopped = true;

  constructor(
    private readonly url: (cursor: string) => string,
    private readonly hooks: LiveHooks,
    private readonly world: LiveWorld,
  ) {}

  start(cursor = ""): void {
    this.cursor = cursor;
    this.stopped = false;
    this.connect();
  }

  stop(): void {
    this.stopped = true;
    this.world.cancel(this.retry);
    this.world.cancel(this.watchdog);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  /** The network is back or the tab is looked at again: do not wait for the next planned try. */
  hurry(): void {
    if (this.stopped || this.socket) return;
    this.world.cancel(this.retry);
    this.attempt = 0;
    this.connect();
  }

  private connect(): void {
    this.hooks.status("connecting");
    const socket = this.world.open(this.url(this.cursor));
    this.socket = socket;
    this.greeted = this.quiet = false;
    const resumed = this.cursor !== "";
    this.watch();
    socket.onmessage = (message) => {
      if (this.socket === socket) this.receive(JSON.parse(String(message.data)) as LiveFrame, resumed);
    };
    socket.onclose = (event) => {
      if (this.socket === socket) this.closed(event.code);
    };
  }

  private receive(frame: LiveFrame, resumed: boolean): void {
    this.greeted = true;
    this.watch();
    this.hooks.heard(this.world.now());
    if (this.quiet) {
      this.quiet = false;
      this.hooks.status("live");
    }
    if (frame.type === "hello") {
      this.attempt = 0;
      this.hooks.status("live");
      // A resumed feed keeps its own cursor until what it missed has arrived. One without a cursor knows nothing of
      // the time before this hello, so whatever was fetched earlier may be old.
      if (resumed) return;
      this.cursor = frame.cursor;
      this.hooks.reset();
    } else if (frame.type === "events") {
      this.cursor = frame.cursor;
      this.take(frame.events);
    } else if (frame.type === "reset") {
      this.cursor = "";
      this.hooks.reset();
    } else if (!this.cursor) {
      this.cursor = frame.cursor;
    }
  }

  private take(events: LiveEvent[]): void {
    for (const event of events) {
      if (this.seen.has(event.id)) continue;
      this.seen.add(event.id);
      this.queue.push(event);
    }
    for (const id of this.seen) {
      if (this.seen.size <= REMEMBERED_IDS) break;
      this.seen.delete(id);
    }
    if (this.flushing || !this.queue.length) return;
    this.flushing = true;
    this.world.frame(() => {
      this.flushing = false;
      const batch = this.queue;
      this.queue = [];
      this.hooks.events(batch);
    });
  }

  /** Begin to wait for the next word anew. */
  private watch(): void {
    this.world.cancel(this.watchdog);
    if (this.greeted) {
      this.watchdog = this.world.after(QUIET_MS, () => {
        this.quiet = true;
        this.hooks.status("silent");
        this.watchdog = this.world.after(SILENCE_MS - QUIET_MS, () => this.giveUp());
      });
    } else {
      this.watchdog = this.world.after(SILENCE_MS, () => this.giveUp());
    }
  }

  private giveUp(): void {
    const socket = this.socket;
    this.closed(0);
    socket?.close();
  }

  private closed(code: number): void {
    this.socket = null;
    this.world.cancel(this.watchdog);
    if (this.stopped) return;
    if (code === SIGNED_OUT) return this.hooks.signedOut();
    if (code === FORBIDDEN) return this.hooks.status("refused");
    this.hooks.status("lost");
    const wait = RETRY_MS[Math.min(this.attempt, RETRY_MS.length - 1)] ?? 15_000;
    this.attempt += 1;
    // Spread over half the wait, so that a restarted server is not hit by every browser at once.
    this.retry = this.world.after(wait / 2 + (Math.random() * wait) / 2, () => this.connect());
  }
}
