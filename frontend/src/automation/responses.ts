/** What follows a confirmed fault, in words; and which rows of the table a search finds. */

export type Response = "note" | "ticket" | "cordon" | "drain" | "drain_now";

/** A class of fault as it holds at a site; `usual` is what would hold without the site's own decision, `override`. */
export interface FaultClass {
  fault_class: string;
  title: string;
  severity: string;
  priority: string;
  response: Response;
  usual: Response;
  escalation: { count: number; then: Response } | null;
  hot: boolean;
  override: number | null;
}

export const RESPONSES: Record<Response, { word: string; says: string; tone: "" | "accent" | "warn" | "fail" }> = {
  note: { word: "Note", says: "Shown on the machine; no ticket, and it goes on working.", tone: "" },
  ticket: { word: "Ticket only", says: "A repair ticket; the machine stays in service.", tone: "accent" },
  cordon: { word: "Cordon", says: "No new jobs; it returns by itself when its checks pass again.", tone: "warn" },
  drain: { word: "Drain after the job", says: "No new jobs; out of service when the running one ended, until a verification passes.", tone: "warn" },
  drain_now: { word: "Drain now", says: "Drained before all others, with an urgent ticket: the job is in danger. Rackside ends no job.", tone: "fail" },
};

/** Such as `2 on one machine: Drain after the job`; empty where the number changes nothing. */
export const escalationWords = (row: Pick<FaultClass, "escalation">): string =>
  row.escalation ? `${row.escalation.count} on one machine: ${RESPONSES[row.escalation.then].word}` : "";

/** The one call that makes `response` hold at the site; it touches no decision but the site's own. */
export function decision(row: FaultClass, response: Response, site: number | null, reason: string): Decision {
  if (row.override === null) return { call: "decide", body: { fault_class: row.fault_class, response, site, reason } };
  return response === row.usual ? { call: "end", id: row.override } : { call: "change", id: row.override, body: { response, reason } };
}

export type Decision =
  | { call: "decide"; body: Record<string, unknown> }
  | { call: "change"; id: number; body: Record<string, unknown> }
  | { call: "end"; id: number };

export function found(rows: FaultClass[], search: string): FaultClass[] {
  const wanted = search.trim().toLowerCase();
  return wanted ? rows.filter((row) => `${row.fault_class} ${row.title} ${RESPONSES[row.response].word}`.toLowerCase().includes(wanted)) : rows;
}
