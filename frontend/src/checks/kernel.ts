/** Judging kinds of kernel lines: which key does what, and how a judgement is taken back. Pure. */
import type { Body } from "../api/schema.ts";
import type { KernelLine, LineState } from "./shapes.ts";

export type Judging = "accept" | "bad" | "reopen";

/** What a line in a state is offered: what would leave it in that state is not. The API takes each in every state. */
export const JUDGINGS: Record<LineState, Judging[]> = { new: ["accept", "bad"], accepted: ["bad", "reopen"], bad: ["accept", "reopen"] };

const KEYS: Record<string, Judging> = { a: "accept", b: "bad", r: "reopen" };

/** What a key asks for, with nothing held down; null where that is not possible for the line. */
export function judgingOf(line: KernelLine | undefined, event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">): Judging | null {
  if (!line || event.ctrlKey || event.metaKey || event.altKey) return null;
  const judging = KEYS[event.key.toLowerCase()];
  return judging && JUDGINGS[line.state].includes(judging) ? judging : null;
}

/** Which line comes next: arrows as well as j and k. */
export function moveOf(key: string, at: number, count: number): number | null {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key];
  if (step === undefined || !count) return null;
  return Math.min(Math.max(at + step, 0), count - 1);
}

/** The call that gives a line its former judgement back. */
export type Back = { do: "reopen" } | { do: "accept"; body: Body<"/api/health/kernel-lines/{id}/accept/", "post"> } | { do: "bad"; body: Body<"/api/health/kernel-lines/{id}/mark-bad/", "post"> };

export function backOf(before: KernelLine): Back {
  const { reason, owner, expires_at, verdict } = before;
  if (before.state === "accepted" && expires_at) return { do: "accept", body: { reason, owner, expires_at } };
  if (before.state === "bad" && (verdict === "fail" || verdict === "warn" || verdict === "info")) return { do: "bad", body: { verdict, reason } };
  return { do: "reopen" };
}
