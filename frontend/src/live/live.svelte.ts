/** The page's live feed as reactive state, and the list of those who listen to it. */
import { toSignIn } from "../api/client.ts";
import type { LiveEvent } from "./protocol.ts";
import { LiveSocket, type LiveStatus, type LiveWorld } from "./socket.ts";

type Listener = (events: LiveEvent[]) => void;

const world: LiveWorld = {
  open: (url) => new WebSocket(url),
  now: () => Date.now(),
  after: (ms, run) => setTimeout(run, ms),
  cancel: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  // A hidden tab draws no frames, yet must not let its queue grow.
  frame: (run) => (document.hidden ? setTimeout(run, 250) : requestAnimationFrame(run)),
};

class Live {
  status = $state<LiveStatus>("connecting");
  /** When the server was last heard, by this browser's clock. */
  heardAt = $state(0);
  /** When the feed was lost; null while it is live. */
  lostAt = $state<number | null>(null);

  private socket: LiveSocket | null = null;
  private site: number | null = null;
  private listeners = new Set<Listener>();
  private resets = new Set<() => void>();

  /** Listen to one site. With the cursor of a snapshot nothing that happened since it can be missed. */
  follow(site: number, cursor = ""): void {
    if (this.site === site && this.socket) return;
    this.socket?.stop();
    this.site = site;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new LiveSocket(
      (since) => `${scheme}://${location.host}/ws/live/?site=${site}&since=${encodeURIComponent(since)}`,
      {
        events: (events) => this.listeners.forEach((listener) => listener(events)),
        reset: () => this.resets.forEach((listener) => listener()),
        status: (status) => this.turn(status),
        heard: (at) => (this.heardAt = at),
        signedOut: toSignIn,
      },
      world,
    );
    this.socket.start(cursor);
  }

  hurry(): void {
    this.socket?.hurry();
  }

  /** Both return the function that stops listening. */
  onEvents(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  onReset(listener: () => void): () => void {
    this.resets.add(listener);
    return () => this.resets.delete(listener);
  }

  private turn(status: LiveStatus): void {
    if (status === "live") {
      this.lostAt = null;
    } else if (this.lostAt === null && (status === "lost" || status === "refused")) {
      this.lostAt = this.heardAt || Date.now();
    }
    // While trying again after a loss the page goes on saying "not live".
    this.status = status === "connecting" && this.lostAt !== null ? "lost" : status;
  }
}

export const live = new Live();

if (typeof window !== "undefined") {
  window.addEventListener("online", () => live.hurry());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) live.hurry();
  });
}
