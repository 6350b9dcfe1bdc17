/** What follows a confirmed fault, in words; and which rows of the table a search finds. */
import * as words from "../api/generated/words.ts";
import type { Body } from "../api/schema.ts";
import { toned } from "../text.ts";
import type { FaultClass } from "./shapes.ts";

export type Response = FaultClass["response"];

export const RESPONSES = toned(words.FaultResponse, { ticket: "accent", cordon: "warn", drain: "warn", drain_now: "fail" });

/** Such as `2 on one machine: Drain after the job`; empty where the number changes nothing. */
export const escalationWords = (row: Pick<FaultClass, "escalation">): string =>
  row.escalation ? `${row.escalation.count} on one machine: ${RESPONSES[row.escalation.then].word}` : "";

/** The one call that makes `response` hold at the site; it touches no decision but the site's own. */
export function decision(row: FaultClass, response: Response, site: number | null, reason: string): Decision {
  if (row.override === null) return { call: "decide", body: { fault_class: row.fault_class, response, site, reason } };
  return response === row.usual ? { call: "end", id: row.override } : { call: "change", id: row.override, body: { response, reason } };
}

export type Decision =
  | { call: "decide"; body: Body<"/api/health/responses/", "post"> }
  | { call: "change"; id: number; body: Body<"/api/health/responses/{id}/", "patch"> }
  | { call: "end"; id: number };

export function found(rows: FaultClass[], search: string): FaultClass[] {
  const wanted = search.trim().toLowerCase();
  return wanted ? rows.filter((row) => `${row.fault_class} ${row.title} ${RESPONSES[row.response].word}`.toLowerCase().includes(wanted)) : rows;
}
