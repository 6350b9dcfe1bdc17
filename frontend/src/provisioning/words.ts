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

export const isOver = (status: string): boolean => ["done", "failed", "cancelled", "finished"].includes(status);

/** The step worth looking at: the failed one, else the running one, else the last that ended. */
export function stepInFocus(machine: RunMachine): RunMachine["steps"][number] | undefined {
  return (
    machine.steps.find((step) => step.status === "failed") ??
    machine.steps.find((step) => step.status === "running") ??
    machine.steps.findLast((step) => step.status === "done")
  );
}

/** Failed machines first, then those at work, then the rest in their order. */
export function byUrgency(run: Run): RunMachine[] {
  const rank = (machine: RunMachine) => ["failed", "running", "waiting", "done", "cancelled"].indexOf(machine.status);
  return [...run.machines].sort((a, b) => rank(a) - rank(b));
}
