/** A ticket as it will be when what waits on this phone is sent: what a technician without reception goes on with. Pure. */
import type { Ticket } from "../api/shapes.ts";
import type { Item } from "./outbox.ts";

export interface Person {
  id: number;
  name: string;
}

/** What may be done after each, as far as a phone can know without the server. */
const WORKING: Ticket["may"] = ["release", "comment", "step", "verify"];

export function projected(ticket: Ticket, items: readonly Item[], me: Person): Ticket {
  return items
    .filter((item) => item.ticket === ticket.key && item.state === "waiting")
    .reduce((now, item) => applied(now, item, me), ticket);
}

function applied(ticket: Ticket, item: Item, me: Person): Ticket {
  const { work, at } = item;
  if (work.kind === "photo") return ticket;
  const text = (name: string) => String(work.body[name] ?? "");
  switch (work.action) {
    case "take":
      return { ...ticket, status: "in_work", assignee: me, may: inSlot(ticket) ? [...WORKING, "swap"] : WORKING };
    case "release":
      return { ...ticket, status: "open", assignee: null, may: ["take", "comment"] };
    case "verify":
      // It is not verifying: nobody has asked yet. But the technician's part is over.
      return { ...ticket, may: ["comment"] };
    case "comments":
      return { ...ticket, comments: [...ticket.comments, { id: -item.id, at, author: me.name, text: text("text") }] };
    case "steps/{step}":
      return withStep(ticket, work.step, work.body["done"] === false ? null : at, me);
    case "swap":
    case "swap-connector": {
      const step = ticket.steps.find((each) => each.kind === "swap" && !each.done_at && each.swaps === text("what"));
      const swap = { slot: ticket.part, slot_text: ticket.part_text, old_serial: ticket.component?.serial ?? "", new_serial: text("new_serial"), at, by: me.name };
      return withStep({ ...ticket, swaps: [...ticket.swaps, swap] }, step?.number ?? null, at, me);
    }
    default:
      return ticket;
  }
}

const inSlot = (ticket: Ticket): boolean => ticket.machine !== null && ticket.place.slots.some((slot) => slot.name === ticket.part);

function withStep(ticket: Ticket, number: number | null, doneAt: string | null, me: Person): Ticket {
  const steps = ticket.steps.map((step) =>
    step.number === number ? { ...step, done_at: doneAt, done_by: doneAt ? me.name : "", state: doneAt ? ("done" as const) : ("todo" as const) } : step,
  );
  return { ...ticket, steps };
}

/** What may be done without reception. Power, light and closing need the server's word. */
export const QUEUEABLE = new Set(["take", "release", "comments", "verify", "swap", "swap-connector", "steps/{step}"]);
