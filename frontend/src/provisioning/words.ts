/** Words and order of a run's states. */
import type { Run, RunAlike, RunMachine, RunTotals } from "../api/types.ts";
import { humanise, plural } from "../text.ts";

/** In the order a bar shows them. */
export const TOTALS: (keyof RunTotals)[] = ["done", "running", "failed", "waiting", "cancelled"];

const FAILURE: Record<string, string> = {
  no_bmc: "BMC does not answer",
  no_link: "No link",
  no_pxe_request: "No boot request",
  install_failed: "Install failed",
  no_ssh: "SSH does not answer",
  checks_failed: "Checks failed",
};

export const failureWord = (code: string): string => FAILURE[code] ?? humanise(code);

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
