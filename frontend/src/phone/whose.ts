/** Which ticket a scanned label means. Pure. */
import type { TicketItem } from "../api/shapes.ts";
import { labelMatches } from "../ticket/primary.ts";
import type { Kept } from "./database.ts";

/** Mine before others, then the more urgent. A serial is known of what is on the phone, or found by the server: `searched`
 * says that `open` is what it found. */
export function ticketOf(label: string, open: readonly TicketItem[], kept: readonly Pick<Kept, "key" | "labels">[], user: number, searched: boolean): TicketItem | null {
  const names = (ticket: TicketItem) => [ticket.subject.name, ticket.key, ...(kept.find((each) => each.key === ticket.key)?.labels?.expected ?? [])];
  const named = open.filter((ticket) => labelMatches(label, names(ticket)));
  const fits = named.length ? named : searched ? open : [];
  const rank = (ticket: TicketItem) => `${ticket.assignee?.id === user ? 0 : 1} ${ticket.priority} ${ticket.opened_at}`;
  return [...fits].sort((a, b) => rank(a).localeCompare(rank(b)))[0] ?? null;
}
