/** Sends what waits, in order, once. Told by its world what is stored and how to send, so that its tests need neither. */
import type { Ticket } from "../api/shapes.ts";
import { afterRefusal, type Item, nextToSend, type Refusal, rebased } from "./outbox.ts";

export interface World {
  items: () => Promise<Item[]>;
  change: (changed: readonly Item[], gone?: number) => Promise<void>;
  /** Resolves to the ticket after it; rejects with what `refusal` reads. */
  send: (item: Item) => Promise<Ticket>;
  refusal: (cause: unknown) => Refusal;
  /** The ticket as the server has it now. */
  seen: (ticket: Ticket) => Promise<void>;
}

/** One that changes again and again while it is sent is left to a person. */
const MOST_REBASES = 5;

/** Until nothing may be sent any more; resolves to whether all that may be sent was. */
export async function replay(world: World): Promise<boolean> {
  const rebases = new Map<number, number>();
  /** Tickets for which the server had an error: the others do not wait for them. */
  const later = new Set<string>();
  for (;;) {
    const item = nextToSend((await world.items()).filter((each) => !later.has(each.ticket)));
    if (!item) return later.size === 0;
    try {
      const after = await world.send(item);
      // Read again: what was made while it was sent was made on the same ticket.
      await world.change(rebased(await world.items(), item, after), item.id);
      await world.seen(after);
    } catch (cause) {
      const refusal = world.refusal(cause);
      const next = afterRefusal(item, refusal);
      if (next.do === "again-later") {
        if (refusal.status < 500) return false;
        later.add(item.ticket);
        continue;
      }
      const tries = (rebases.get(item.id) ?? 0) + 1;
      rebases.set(item.id, tries);
      const changed = next.do === "again-now" && tries > MOST_REBASES ? { ...item, state: "blocked" as const, reason: refusal.message } : next.item;
      // The others were made on the same ticket as this one.
      await world.change([changed, ...(changed.version !== item.version ? rebased(await world.items(), item, changed.before) : [])]);
      if (refusal.current) await world.seen(refusal.current);
    }
  }
}
