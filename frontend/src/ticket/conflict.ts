/** What somebody else changed on a ticket while one worked on it, in words. */
import type { Ticket } from "../api/shapes.ts";
import { plural, TICKET_WORD } from "../text.ts";

export function changesBetween(before: Ticket, now: Ticket): string[] {
  const changes: string[] = [];
  if (before.status !== now.status) changes.push(`${TICKET_WORD[before.status]} → ${TICKET_WORD[now.status]}`);
  if (before.assignee?.id !== now.assignee?.id) {
    changes.push(now.assignee ? `Now with ${now.assignee.name}` : "Released, unassigned");
  }
  if (before.order && now.order && before.order.version !== now.order.version) changes.push("The steps were planned again");
  for (const step of now.steps) {
    const old = before.steps.find((candidate) => candidate.number === step.number);
    if (step.done_at && !old?.done_at) changes.push(`Step ${step.number} done by ${step.done_by ?? "somebody"}`);
    if (!step.done_at && old?.done_at) changes.push(`Step ${step.number} is open again`);
  }
  for (const swap of now.swaps.slice(before.swaps.length)) changes.push(`${swap.by} recorded serial ${swap.new_serial}`);
  const comments = now.comments.length - before.comments.length;
  if (comments > 0) changes.push(plural(comments, "new comment"));
  if (before.verification?.status !== now.verification?.status && now.verification) {
    changes.push(`Verification ${now.verification.status}`);
  }
  return changes.length ? changes : ["Something else on the ticket changed"];
}
