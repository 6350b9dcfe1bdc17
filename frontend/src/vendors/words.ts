/** What the pages say of cases, as far as the words do not come with the answer. Pure. */
import type { Case, CaseEvent, CaseItem } from "./calls.ts";
import { plural } from "../text.ts";

export const TONE: Record<CaseItem["state"], string> = {
  draft: "",
  sent: "accent",
  accepted: "accent",
  shipped: "accent",
  arrived: "warn",
  returned: "ok",
  denied: "fail",
  closed: "ok",
};

/** The columns of the board, in the order of a case's life. */
export const COLUMNS: CaseItem["state"][] = ["draft", "sent", "accepted", "shipped", "arrived", "returned", "denied"];

export type Field = "number" | "carrier" | "tracking" | "return_tracking" | "new_serial" | "new_part_number" | "reason" | "cost" | "currency";

/** What is asked with an event; `true`: it must be given. */
export const ASKS: Record<CaseEvent, [Field, boolean][]> = {
  send: [["number", false]],
  accept: [["number", false]],
  ship: [["carrier", false], ["tracking", false], ["new_part_number", false]],
  arrive: [["new_serial", false]],
  return: [["return_tracking", false]],
  deny: [["reason", true]],
  ask_again: [["reason", true]],
  close: [["reason", true], ["cost", false], ["currency", false]],
};

export const FIELD: Record<Field, string> = {
  number: "The vendor's number",
  carrier: "Carrier",
  tracking: "Tracking number",
  return_tracking: "Tracking number of the way back",
  new_serial: "Serial of the new part",
  new_part_number: "Part number of the new part",
  reason: "Why",
  cost: "Cost",
  currency: "Currency",
};

/** What stands beside a case of which the failed part is owed. */
export function owed(row: CaseItem, today: Date): string {
  if (row.days_overdue) return `${plural(row.days_overdue, "day")} overdue`;
  if (!row.return_due || !["shipped", "arrived"].includes(row.state)) return "";
  const days = Math.round((Date.parse(`${row.return_due}T00:00:00Z`) - Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate())) / 86_400_000);
  return days === 0 ? "back by today" : `back in ${plural(days, "day")}`;
}

/** Only what was filled in is sent. */
export function filled(values: Partial<Record<Field, string>>): Partial<Record<Field, string>> {
  const kept = Object.entries(values).map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(kept.filter(([name, value]) => value !== "" && !(name === "currency" && !values.cost?.trim())));
}

/** Why it cannot be sent yet; empty when it can. */
export function notYet(one: Pick<Case, "text" | "title" | "form" | "missing" | "state">): string {
  if (one.state !== "draft" && one.state !== "denied") return "";
  if (one.missing.length) return `Still missing: ${one.missing.join("; ")}.`;
  if (one.text.length > one.form.text) return `The text is ${plural(one.text.length - one.form.text, "letter")} too long.`;
  return one.title.length > one.form.title ? `The title is ${plural(one.title.length - one.form.title, "letter")} too long.` : "";
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  return size < 1_048_576 ? `${Math.round(size / 1024)} KiB` : `${(size / 1_048_576).toFixed(1)} MiB`;
}
