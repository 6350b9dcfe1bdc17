/** What a ticket waits for that others do: a verification, a look at its ports, machines on their way out of service. */
import type { Ticket } from "../api/shapes.ts";
import { isRunning } from "./primary.ts";

/** Whether the page shows something that somebody else is about to end. */
export function waits(ticket: Ticket): boolean {
  const inUse = ticket.order?.clearances.some((each) => !each.clear) ?? false;
  return ticket.status === "verifying" || ticket.steps.some((step) => step.checking || isRunning(step.run)) || (ticket.status !== "closed" && inUse);
}

/** Whether this machine must be out of service for the work on the ticket. */
export function mustBeClear(ticket: Ticket | null, machine: number): boolean {
  return ticket?.order?.clearances.some((each) => each.machine?.id === machine) ?? false;
}
