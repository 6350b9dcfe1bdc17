/** Working on one ticket: its data kept live, and actions that carry the version, survive a conflict, and wait on the phone
 * when there is no reception. */
import * as api from "../api/calls.ts";
import { ApiError, isRace } from "../api/client.ts";
import type { Ticket } from "../api/shapes.ts";
import type { LiveEvent } from "../live/protocol.ts";
import * as database from "../phone/database.ts";
import type { Item, Work } from "../phone/outbox.ts";
import { outbox } from "../phone/outbox.svelte.ts";
import { projected, QUEUEABLE } from "../phone/project.ts";
import { newKey, send, unreached } from "../phone/send.ts";
import { Resource } from "../stores/resource.svelte.ts";
import { session } from "../stores/session.svelte.ts";
import { onWhatIsNow } from "./anew.ts";
import { changesBetween } from "./conflict.ts";
import { mustBeClear, waits } from "./blockers.ts";

export interface TicketConflict {
  mine: string;
  changes: string[];
  again: () => Promise<boolean>;
}

/** While a verification runs, the ports of a step are looked at, or a machine is drained, progress may come without an
 * event of the ticket. */
const WAITING_POLL_MS = 5_000;

export class TicketWork {
  readonly resource: Resource<Ticket>;
  busy = $state<string | null>(null);
  error = $state<{ title: string; cause: unknown } | null>(null);
  conflict = $state.raw<TicketConflict | null>(null);
  /** Of what is shown, when the server was not reached: when it last answered, as ISO. */
  keptAt = $state<string | null>(null);

  constructor(readonly key: string) {
    this.resource = new Resource(() => this.fetch());
  }

  /** As it is on the server, with what waits on this phone done. */
  get ticket(): Ticket | null {
    const [ticket, me] = [this.resource.data, session.me];
    return ticket && me && this.queued.length ? projected(ticket, this.queued, me) : ticket;
  }

  get queued(): Item[] {
    return outbox.of(this.key);
  }

  /** Body of an `$effect`: load, follow the feed, stop at the end. */
  follow(): () => void {
    void this.showKept();
    const stops = [
      this.resource.follow((event) => this.concerns(event)),
      outbox.onSeen((ticket) => {
        if (ticket.key === this.key) this.resource.put(ticket);
      }),
    ];
    const poll = setInterval(() => {
      if (this.ticket && waits(this.ticket) && !document.hidden) this.resource.soon();
    }, WAITING_POLL_MS);
    return () => {
      clearInterval(poll);
      stops.forEach((stop) => stop());
    };
  }

  /** What this browser has of it is there before the server's answer; what is done on that carries its version. */
  private async showKept(): Promise<void> {
    const kept = session.me && (await database.kept(session.me.id, this.key).catch(() => undefined));
    if (kept) this.resource.begin(kept.ticket);
  }

  private async fetch(): Promise<Ticket> {
    try {
      const ticket = await api.ticket(this.key);
      this.keptAt = null;
      const mine = ticket.assignee?.id === session.me?.id;
      // A browser that keeps nothing shows it all the same.
      if (session.me) void database.keep(session.me.id, ticket, mine ? { pinned: true } : {}).catch(() => undefined);
      return ticket;
    } catch (cause) {
      const kept = unreached(cause) && session.me ? await database.kept(session.me.id, this.key).catch(() => undefined) : undefined;
      if (!kept) throw cause;
      this.keptAt = kept.at;
      return kept.ticket;
    }
  }

  private concerns(event: LiveEvent): boolean {
    if (event.kind === "machine.changed") return mustBeClear(this.ticket, Number(event.data.id));
    if (event.kind === "ticket.changed") return event.data.key === this.key || event.data.id === this.ticket?.id;
    return event.kind === "verification.finished" && this.ticket?.status === "verifying";
  }

  /** Do something; `what` names it for messages, `typed` is what was typed or read. Resolves to whether it was done or waits. */
  async act<A extends api.TicketAction>(what: string, action: A, body: api.TicketBody<A>, step?: number, typed = ""): Promise<boolean> {
    const before = this.resource.data;
    if (!before || this.busy) return false;
    const work: Work = { kind: "action", action, step: step ?? null, body: body as Record<string, unknown> };
    return this.run(action, what, typed, work, before, () => this.act(what, action, body, step, typed));
  }

  photo(step: number | null, caption: string, picture: Blob): Promise<boolean> {
    const before = this.resource.data;
    if (!before || this.busy) return Promise.resolve(false);
    const what = step === null ? "Photo" : `Photo at step ${step}`;
    const work: Work = { kind: "photo", step, caption, filename: `${this.key}-${step ?? "photo"}.jpg`, picture };
    return this.run("photo", what, caption, work, before, () => this.photo(step, caption, picture));
  }

  private async run(name: string, what: string, typed: string, work: Work, before: Ticket, again: () => Promise<boolean>): Promise<boolean> {
    this.busy = name;
    this.error = null;
    let [key, seen] = [newKey(), before];
    const waits = work.kind === "photo" || QUEUEABLE.has(work.action);
    const queue = () => outbox.add(this.key, what, typed, work, seen, key);
    try {
      await onWhatIsNow(work, before, async (now) => {
        if (now !== before) {
          [key, seen] = [newKey(), now];
          this.resource.put(now);
        }
        // What was done before it goes first.
        if (waits && this.queued.some((item) => item.state === "waiting")) await queue();
        else this.resource.put(await send({ work, ticket: this.key, version: work.kind === "photo" ? null : seen.version, key }));
      });
      return true;
    } catch (cause) {
      if (waits && unreached(cause) && (await queue().then(() => true, () => false))) return true;
      this.fail(what, cause, seen, again);
      return false;
    } finally {
      this.busy = null;
    }
  }

  private fail(what: string, cause: unknown, before: Ticket, again: () => Promise<boolean>): void {
    const current = cause instanceof ApiError ? (cause.current as Ticket | null) : null;
    if (current) this.resource.put(current);
    // Only a race may be right on what the ticket is now; a refusal would be refused again, and says why.
    if (!current || !isRace(cause)) {
      this.error = { title: `${what}: not done`, cause };
      return;
    }
    this.conflict = { mine: what, changes: changesBetween(before, current), again };
  }
}
