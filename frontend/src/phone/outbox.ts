/** What was done without reception and waits to be sent: the order, what an answer means, what is left to a person. Pure. */
import type { Ticket } from "../api/shapes.ts";
import { changesBetween } from "../ticket/conflict.ts";

/** Of the queued items; a later one reads all earlier ones (`upgraded`). */
export const SCHEMA = 1;

export type Work =
  | { kind: "action"; action: string; step: number | null; body: Record<string, unknown> }
  | { kind: "photo"; step: number | null; caption: string; filename: string; picture: Blob };

export interface Item {
  id: number;
  schema: number;
  /** Whose it is: another person on the same phone neither sends nor sees it. */
  user: number;
  ticket: string;
  /** What was done, such as "Step 2 done", and what was typed or read for it. */
  what: string;
  typed: string;
  work: Work;
  /** The server does a request with the same key once. */
  key: string;
  at: string;
  /** Of the ticket as it was seen; null for what is right on any. */
  version: number | null;
  /** The ticket as the server had it when this was done, and after each own action since. Not what a later refresh brought. */
  before: Ticket;
  /** `blocked`: a person decides, `reason` and `changes` say why. */
  state: "waiting" | "blocked";
  reason: string;
  changes: string[];
}
export type NewItem = Omit<Item, "id" | "schema" | "state" | "reason" | "changes">;

/** An item as an earlier build of Rackside wrote it; null when a later one did, which only that may send. */
export function upgraded(stored: { schema?: number }): Item | null {
  return stored.schema === SCHEMA ? (stored as Item) : null;
}

/** Notes and photos are right on whatever became of the ticket. */
export const independent = ({ work }: Pick<Item, "work">): boolean => work.kind === "photo" || work.action === "comments";

/** What to send now: the oldest whose ticket has nothing before it that a person must decide on. */
export function nextToSend(items: readonly Item[]): Item | null {
  const stuck = new Set<string>();
  for (const item of [...items].sort((a, b) => a.id - b.id)) {
    if (item.state === "blocked") stuck.add(item.ticket);
    else if (!stuck.has(item.ticket) || independent(item)) return item;
  }
  return null;
}

export interface Refusal {
  /** 0: the server was not reached. */
  status: number;
  code: string;
  message: string;
  current: Ticket | null;
}
export type Next = { do: "again-later" } | { do: "again-now"; item: Item } | { do: "block"; item: Item };

/** Something is to be done about the account; what waits is sent after it. */
const ACCOUNT_FIRST = new Set(["second_factor_required", "password_change_required"]);

/** What becomes of an item that was not accepted. */
export function afterRefusal(item: Item, refusal: Refusal): Next {
  const { status, code, current } = refusal;
  const { before } = item;
  if (status === 0 || status >= 500 || status === 429 || status === 401 || ACCOUNT_FIRST.has(code) || code === "busy") return { do: "again-later" };
  if (status === 409 && code === "conflict" && current) {
    if (harmless(item, before, current)) return { do: "again-now", item: { ...item, version: current.version, before: current } };
    const changes = changesBetween(before, current);
    return { do: "block", item: { ...item, state: "blocked", reason: "The ticket changed meanwhile.", changes } };
  }
  return { do: "block", item: { ...item, state: "blocked", reason: refusal.message, changes: current ? changesBetween(before, current) : [] } };
}

/** Whether what changed meanwhile has nothing to do with the item: who works on it, its plan and the step are the same. */
export function harmless(item: Pick<Item, "work">, before: Ticket, now: Ticket): boolean {
  if (before.status !== now.status || before.assignee?.id !== now.assignee?.id) return false;
  if (before.order?.version !== now.order?.version || before.swaps.length !== now.swaps.length) return false;
  if (before.verification?.id !== now.verification?.id) return false;
  const step = item.work.step;
  const done = (ticket: Ticket) => ticket.steps.find((each) => each.number === step)?.done_at ?? null;
  return step === null || done(before) === done(now);
}

/** The others of the ticket after one was done: they were made on what the phone saw with that one done. */
export function rebased(items: readonly Item[], done: Item, now: Ticket): Item[] {
  if (done.version === null) return [];
  return items
    .filter((each) => each.id !== done.id && each.ticket === done.ticket && each.state === "waiting" && each.version === done.version)
    .map((each) => ({ ...each, version: now.version, before: now }));
}

/** Tried again by a person: on the ticket as it is now. */
export function again(item: Item, now: Ticket | null): Item {
  const before = now ?? item.before;
  return { ...item, state: "waiting", reason: "", changes: [], before, version: item.version === null ? null : before.version };
}

/** What was typed, as a note for whoever works on the ticket now. */
export function asNote(item: Item, key: string): NewItem {
  const { user, ticket, at, before } = item;
  const text = `Done without reception on ${at.slice(0, 16).replace("T", " ")} UTC, not accepted (${item.reason}): ${item.what}${item.typed ? `: ${item.typed}` : ""}`;
  return { user, ticket, at, key, before, what: "Note", typed: text, version: null, work: { kind: "action", action: "comments", step: null, body: { text } } };
}

const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;
/** How long to wait after so many failed tries; a try also follows when the browser says that it is online. */
export const waitMs = (tries: number): number => Math.min(FIRST_MS * 2 ** Math.min(tries, 10), LONGEST_MS);
