/** Which ticket comes next when one is closed. */
import type { TicketItem } from "../api/shapes.ts";

/** The order of the list: most urgent first, of these the one that has waited longest. */
export const byUrgency = (a: TicketItem, b: TicketItem): number => (a.priority + a.opened_at).localeCompare(b.priority + b.opened_at);

export interface Next {
  ticket: TicketItem;
  whose: "yours" | "open";
}

/** Of one's own first, then of those nobody has; null when nothing waits. What is being verified needs nobody. */
export function nextTicket(closed: string, mine: TicketItem[], open: TicketItem[]): Next | null {
  const first = (items: TicketItem[]) => items.filter(({ key, status }) => key !== closed && (status === "open" || status === "in_work")).sort(byUrgency)[0];
  const own = first(mine);
  if (own) return { ticket: own, whose: "yours" };
  const free = first(open.filter(({ assignee }) => assignee === null));
  return free ? { ticket: free, whose: "open" } : null;
}
