/** What a technician records of a swap: a part in its slot, an optic or the plugs of a cable, or a serial without a place. Pure. */
import type { TicketAction, TicketBody } from "../api/calls.ts";
import type { Ticket, TicketStep } from "../api/shapes.ts";

type Of<A extends TicketAction> = { action: A; body: TicketBody<A>; step: number | undefined; what: string; typed: string };
export type Swap = Of<"swap"> | Of<"swap-connector"> | Of<"steps/{step}">;

/** As it was typed or read; `end` of a link, `other` the serial of a cable's second plug. */
export interface Read {
  serial: string;
  old: string;
  partNumber: string;
  end: "a" | "b" | "";
  other: string;
}

/** What the step is about: an optic only where the inventory knows both ends of the link, else its serial is history alone. */
export function subjectOf(ticket: Ticket, step: TicketStep): "part" | "optic" | "cable" | "unplaced" {
  if (ticket.may.includes("swap")) return "part";
  if (step.swaps === "cable" && ticket.subject.kind === "cable") return "cable";
  const ends: unknown[] | undefined = ticket.order?.ends; // none in what a phone kept from an earlier build
  return step.swaps === "optic" && ends?.length ? "optic" : "unplaced";
}

export function swapOf(ticket: Ticket, step: TicketStep, read: Read): Swap {
  const { serial, old, partNumber, end, other } = read;
  const what = `Record swap to ${serial}`;
  const typed = [serial, other, partNumber, old].filter(Boolean).join(" ");
  const part = partNumber && { part_number: partNumber };
  switch (subjectOf(ticket, step)) {
    case "part":
      return { action: "swap", body: { new_serial: serial, ...part, ...(old && { old_serial: old }) }, step: undefined, what, typed };
    case "optic":
      return { action: "swap-connector", body: { what: "optic", new_serial: serial, ...part, ...(end && { end }) }, step: undefined, what, typed };
    case "cable":
      return { action: "swap-connector", body: { what: "cable", new_serial: serial, ...(other && { new_serial_b: other }) }, step: undefined, what, typed };
    case "unplaced":
      return { action: "steps/{step}", body: { done: true, scanned: serial }, step: step.number, what: `Step ${step.number} done`, typed };
  }
}
