/** The words of the screen, in one place. */
import * as words from "./api/generated/words.ts";
import type { Role } from "./api/shapes.ts";

export type Tone = "" | "ok" | "warn" | "fail" | "accent";

/** A state as people read it. */
export interface Said {
  word: string;
  tone: Tone;
  /** What it means for what one sees, and what to do. */
  says: string;
}

type Words<Code extends string | number> = Record<Code, { word: string; says: string }>;

/** Codes in the order in which lists show them. */
export const codesOf = <Code extends string>(table: Record<Code, unknown>): Code[] => Object.keys(table) as Code[];

export function wordsOf<Code extends string | number>(table: Words<Code>): Record<Code, string> {
  return Object.fromEntries(Object.entries<{ word: string }>(table).map(([code, { word }]) => [code, word])) as Record<Code, string>;
}

/** The service's words with the dashboard's colours. */
export function toned<Code extends string>(table: Words<Code>, tones: Partial<Record<Code, Tone>>): Record<Code, Said> {
  return Object.fromEntries(codesOf(table).map((code) => [code, { ...table[code], tone: tones[code] ?? "" }])) as Record<Code, Said>;
}

/** The word for a code, or its letters made readable for one that we do not know yet. */
export const wordFor = (table: Partial<Record<string, string>>, code: string | number): string => table[code] ?? humanise(String(code));

export const CELLS = codesOf(words.MachineCell);

export const CELL_WORD = wordsOf(words.MachineCell);

export const VERDICTS = codesOf(words.VerdictCode);

export const VERDICT_WORD = wordsOf(words.VerdictCode);

export const STATE_WORD = wordsOf(words.MachineState);

export const TICKET_WORD = wordsOf(words.TicketStatus);

export const QUEUE_WORD = wordsOf(words.TicketQueue);

/** Whether a machine answers, as its field `reachability` says. */
const REACHABILITY_WORD = wordsOf(words.Reachability);

export const reachWord = (reachability: string): string => wordFor(REACHABILITY_WORD, reachability);

/** A part as people read it: what is printed on the chassis first, then as the system counts it. The server has the same
 * rule (`inventory/slot_text.py`) and gives it as `part_text`, `slot_text` or `text`; this is for rows with both names. */
export function partText(slot: string, label: string | null | undefined): string {
  const printed = (label ?? "").trim();
  return !printed || slot === printed || slot.endsWith(` ${printed}`) ? slot : `${printed} (${slot})`;
}

export const KIND_WORD = wordsOf(words.FoundKind);

/** Each role may do what those before it may: the API lists their words in that order. */
const ROLES: readonly Role[] = codesOf(words.RoleName);
export const outranks = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

const ACRONYMS = new Set(["uuid", "guid", "mac", "vbios", "bmc", "ssh", "ip"]);

/** A word for a code we may not know yet: `burn_in` reads "Burn in". */
export function humanise(code: string): string {
  const words = code.replaceAll("_", " ").split(" ");
  const text = words.map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word)).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const stateWord = (state: string): string => wordFor(STATE_WORD, state);

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
