/** Working on one ticket: its data kept live, and actions that carry the version and survive a conflict. */
import * as api from "../api/calls.ts";
import { ApiError, isRace } from "../api/client.ts";
import type { Ticket } from "../api/shapes.ts";
import type { LiveEvent } from "../live/protocol.ts";
import { Resource } from "../stores/resource.svelte.ts";
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

  constructor(readonly key: string) {
    this.resource = new Resource(() => api.ticket(key));
  }

  get ticket(): Ticket | null {
    return this.resource.data;
  }

  /** Body of an `$effect`: load, follow the feed, stop at the end. */
  follow(): () => void {
    const stop = this.resource.follow((event) => this.concerns(event));
    const poll = setInterval(() => {
      if (this.ticket && waits(this.ticket) && !document.hidden) this.resource.soon();
    }, WAITING_POLL_MS);
    return () => {
      clearInterval(poll);
      stop();
    };
  }

  private concerns(event: LiveEvent): boolean {
    if (event.kind === "machine.changed") return mustBeClear(this.ticket, Number(event.data.id));
    if (event.kind === "ticket.changed") return event.data.key === this.key || event.data.id === this.ticket?.id;
    return event.kind === "verification.finished" && this.ticket?.status === "verifying";
  }

  /** Do something; `what` names it for messages. Resolves to whether it was done. */
  async act<A extends api.TicketAction>(what: string, action: A, body: api.TicketBody<A>, step?: number): Promise<boolean> {
    const before = this.ticket;
    if (!before || this.busy) return false;
    this.busy = action;
    this.error = null;
    try {
      const path = { key: this.key, ...(step !== undefined && (action.startsWith("tasks/") ? { task: step } : { step })) };
      this.resource.put(await api.ticketAction(path, action, { ...body, version: before.version }));
      return true;
    } catch (cause) {
      this.fail(what, cause, before, () => this.act(what, action, body, step));
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
