/** The words of the screen, in one place. */
import type { Cell, Role, TicketStatus, Verdict } from "./api/types.ts";

export const CELLS: Cell[] = ["allocated", "available", "suspect", "failed", "drained", "repair", "provisioning", "off", "no_signal"];

export const CELL_WORD: Record<Cell, string> = {
  allocated: "Allocated",
  available: "Available",
  suspect: "Suspect",
  failed: "Failed",
  drained: "Drained",
  repair: "In repair",
  provisioning: "Provisioning",
  off: "Off",
  no_signal: "No signal",
};

export const VERDICTS: Verdict[] = ["fail", "unknown", "warn", "info", "ok"];

export const VERDICT_WORD: Record<Verdict, string> = {
  fail: "Fail",
  unknown: "Unknown",
  warn: "Warning",
  info: "Info",
  ok: "OK",
};

export const STATE_WORD: Record<string, string> = {
  new: "New",
  provisioning: "Provisioning",
  burn_in: "Burn-in",
  ready: "Ready",
  draining: "Draining",
  drained: "Drained",
  remediating: "Remediating",
  verifying: "Verifying",
  triage: "Triage",
  repair: "In repair",
  rma: "RMA",
  maintenance: "Maintenance",
  retired: "Retired",
};

export const TICKET_WORD: Record<TicketStatus, string> = {
  open: "Open",
  in_work: "In progress",
  verifying: "Verifying",
  closed: "Closed",
};

/** Whether a machine answers, as its field `heard` says. */
const REACH_WORD: Record<string, string> = {
  heard: "Reachable",
  late: "Late",
  silent: "Unreachable",
  never: "Never reached",
};

export const reachWord = (heard: string): string => REACH_WORD[heard] ?? humanise(heard);

/** A part as people read it: what is printed on the chassis first, then as the system counts it. The server has the same
 * rule (`inventory/slot_text.py`) and gives it as `part_text`, `slot_text` or `text`; this is for rows with both names. */
export function partText(slot: string, label: string | null | undefined): string {
  const printed = (label ?? "").trim();
  return !printed || slot === printed || slot.endsWith(` ${printed}`) ? slot : `${printed} (${slot})`;
}

export const KIND_WORD: Record<string, string> = {
  machine: "Machine",
  switch: "Switch",
  pdu: "PDU",
  rack: "Rack",
  cable: "Cable",
  component: "Component",
  port: "Port",
  ticket: "Ticket",
};

export type Tone = "" | "ok" | "warn" | "fail" | "accent";

/** A state as people read it. */
export interface Said {
  word: string;
  tone: Tone;
  /** What it means for what one sees, and what to do. */
  says: string;
}

const RANK: Record<Role, number> = { viewer: 0, technician: 1, operator: 2, admin: 3 };
export const outranks = (role: Role, needed: Role): boolean => RANK[role] >= RANK[needed];

const ACRONYMS = new Set(["uuid", "guid", "mac", "vbios", "bmc", "ssh", "ip"]);

/** A word for a code we may not know yet: `burn_in` reads "Burn in". */
export function humanise(code: string): string {
  const words = code.replaceAll("_", " ").split(" ");
  const text = words.map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word)).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const stateWord = (state: string): string => STATE_WORD[state] ?? humanise(state);

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** `U17–22`; a half unit is written as .5. */
export function unitsText(u: number, heightU: number): string {
  const top = u + heightU - 1;
  return top > u ? `U${u}–${top}` : `U${u}`;
}

/** What somebody wrote as a reason, as a sentence among others: a capital first, a full stop unless it ends with a mark. */
export function asSentence(words: string): string {
  const trimmed = words.trim();
  return trimmed && trimmed[0]!.toUpperCase() + trimmed.slice(1) + (/[.!?…]$/.test(trimmed) ? "" : ".");
}
