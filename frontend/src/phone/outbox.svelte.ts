/** The outbox of who is signed in, as reactive state, and the sender that empties it. */
import type { Ticket } from "../api/shapes.ts";
import { session } from "../stores/session.svelte.ts";
import * as database from "./database.ts";
import { again, asNote, independent, type Item, type NewItem, waitMs, type Work } from "./outbox.ts";
import { replay } from "./replay.ts";
import { newKey, refusal, send } from "./send.ts";

const LOCK = "rackside-outbox";

class Outbox {
  items = $state.raw<Item[]>([]);
  sending = $state(false);
  /** This browser keeps nothing (private mode, a full disk): what is done needs reception. */
  broken = $state(false);
  private tries = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private heard = new Set<(ticket: Ticket) => void>();
  /** Other tabs of this phone. */
  private tabs = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(LOCK);

  get user(): number | null {
    return session.me?.id ?? null;
  }

  /** Body of an `$effect`: read what a killed tab left, and send it as soon as that is possible. */
  start(user: number): () => void {
    void database.forgetOthers(user).catch(() => (this.broken = true));
    void this.read().then(() => this.hurry());
    const online = () => this.hurry();
    const shown = () => !document.hidden && this.hurry();
    window.addEventListener("online", online);
    document.addEventListener("visibilitychange", shown);
    if (this.tabs) this.tabs.onmessage = () => void this.read();
    return () => {
      clearTimeout(this.timer);
      window.removeEventListener("online", online);
      document.removeEventListener("visibilitychange", shown);
      if (this.tabs) this.tabs.onmessage = null;
    };
  }

  of(ticket: string): Item[] {
    return this.items.filter((item) => item.ticket === ticket);
  }

  /** Whoever shows a ticket hears what the server made of it. */
  onSeen(listener: (ticket: Ticket) => void): () => void {
    this.heard.add(listener);
    return () => this.heard.delete(listener);
  }

  /** Rejects when the browser cannot keep it: then nothing was queued, and the page says so. */
  async add(ticket: string, what: string, typed: string, work: Work, before: Ticket, key = newKey()): Promise<void> {
    const user = this.user;
    if (user === null) throw new Error("Nobody is signed in.");
    const item: NewItem = { user, ticket, what, typed, work, key, at: new Date().toISOString(), version: before.version, before };
    await this.put(independent(item) ? { ...item, version: null } : item);
  }

  async retry(item: Item): Promise<void> {
    const seen = await database.kept(item.user, item.ticket);
    await this.changed([again(item, seen?.ticket ?? null)]);
    this.hurry();
  }

  async toNote(item: Item): Promise<void> {
    await this.put(asNote(item, newKey()));
    await this.discard(item);
  }

  discard(item: Item): Promise<void> {
    return this.changed([], item.id);
  }

  hurry(): void {
    this.tries = 0;
    void this.send();
  }

  private async put(item: NewItem): Promise<void> {
    await database.enqueue(item);
    await this.read();
    this.tabs?.postMessage("changed");
    void this.send();
  }

  private async changed(items: readonly Item[], gone?: number): Promise<void> {
    await database.change(items, gone);
    await this.read();
    this.tabs?.postMessage("changed");
  }

  private async read(): Promise<void> {
    if (this.user === null) return;
    try {
      this.items = await database.waiting(this.user);
      this.broken = false;
    } catch {
      this.broken = true;
    }
  }

  /** One sender among all tabs. Without the lock two would only send twice what the server does once. */
  private async send(): Promise<void> {
    const user = this.user;
    if (user === null || this.sending || !this.items.some((item) => item.state === "waiting")) return;
    clearTimeout(this.timer);
    this.sending = true;
    const work = () =>
      replay({
        items: async () => (this.user === user ? database.waiting(user) : []),
        change: (items, gone) => this.changed(items, gone),
        send,
        refusal,
        seen: async (ticket) => {
          await database.keep(user, ticket);
          this.heard.forEach((listener) => listener(ticket));
        },
      });
    let done: boolean;
    try {
      done = navigator.locks ? await navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => (lock ? work() : false)) : await work();
    } catch {
      done = false;
    } finally {
      this.sending = false;
    }
    if (!done) this.timer = setTimeout(() => void this.send(), waitMs(this.tries++));
  }
}

export const outbox = new Outbox();
