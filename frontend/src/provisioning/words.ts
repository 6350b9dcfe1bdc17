/** Words and order of a run's states. */
import * as words from "../api/generated/words.ts";
import type { Schemas } from "../api/schema.ts";
import type { Run, RunAlike, RunMachine, RunTotals } from "../api/shapes.ts";
import { plural, wordFor, wordsOf } from "../text.ts";

/** In the order a bar shows them. */
export const TOTALS: (keyof RunTotals)[] = ["done", "running", "failed", "waiting", "cancelled"];

/** What an installation is started from. */
export type Engine = Schemas["Engine"];
export const ENGINE = wordsOf(words.Engine);

const FAILURE: Record<string, string> = wordsOf(words.InstallFailure);

export const failureWord = (code: string): string => wordFor(FAILURE, code);

/** One line for machines that fail or hang alike. */
export const alikeTitle = (group: RunAlike): string =>
  `${plural(group.machines.length, "machine")}, one problem: ${failureWord(group.failure_class)}.`;

const OWNER: Record<string, string> = wordsOf(words.InstallFailureOwner);

export const ownerWord = (code: string): string => wordFor(OWNER, code);

const EVIDENCE: Record<string, string> = wordsOf(words.FailureEvidenceKind);

export const evidenceWord = (code: string): string => wordFor(EVIDENCE, code);

export const isOver = (status: string): boolean => ["done", "failed", "cancelled", "finished"].includes(status);

/** Failed machines first, then those at work, then the rest in their order. */
export function byUrgency(run: Run): RunMachine[] {
  const rank = (machine: RunMachine) => ["failed", "running", "waiting", "done", "cancelled"].indexOf(machine.status);
  return [...run.machines].sort((a, b) => rank(a) - rank(b));
}
