/** A software run as a matrix of machines and roles, the worst first. */
import { WaveMachineStatus as MACHINE, TaskOutcome as OUTCOME } from "../api/generated/words.ts";
import type { Schemas } from "../api/schema.ts";
import { codesOf, type Tone } from "../text.ts";

export type SoftwareRun = Schemas["SoftwareRun"];
export type SoftwareMachine = Schemas["SoftwareMachine"];
export type SoftwareRole = Schemas["SoftwareRole"];
export type Outcome = Schemas["TaskOutcome"];
export type MachineStatus = SoftwareMachine["status"];
export type Cell = Outcome | "running" | "waiting" | "none";

export const RUN_TONE: Record<SoftwareRun["status"], Tone> = { waiting: "", running: "accent", done: "ok", failed: "fail", stopped: "fail", cancelled: "warn" };
export const MACHINE_TONE: Record<MachineStatus, Tone> = {
  waiting: "", running: "accent", ok: "ok", failed: "fail", unreachable: "fail", refused: "warn", cancelled: "warn",
};
export const STATUSES = codesOf(MACHINE);
const WORST: MachineStatus[] = ["failed", "unreachable", "refused", "running", "cancelled", "waiting", "ok"];

export const isOpen = (run: Pick<SoftwareRun, "status">): boolean => run.status === "waiting" || run.status === "running";

/** What failed first, then what is under way; each in the order in which machines go. */
export const worstFirst = (machines: readonly SoftwareMachine[]): SoftwareMachine[] =>
  [...machines].sort((a, b) => WORST.indexOf(a.status) - WORST.indexOf(b.status) || a.id - b.id);

/** What one role did on one machine: the first that did not end is under way while the machine is. */
export function cellOf(machine: SoftwareMachine, role: string, roles: readonly string[]): Cell {
  const outcome = machine.outcomes[role];
  if (outcome) return outcome;
  if (machine.status === "running") return roles.find((each) => !machine.outcomes[each]) === role ? "running" : "waiting";
  return machine.status === "waiting" ? "waiting" : "none";
}

export function cellWord(cell: Cell): string {
  if (cell === "none") return "Not done";
  return cell === "running" || cell === "waiting" ? MACHINE[cell].word : OUTCOME[cell].word;
}

/** How far a run is: machines that are through, of all. */
export function through(run: Pick<SoftwareRun, "totals">): { done: number; of: number } {
  const of = STATUSES.reduce((sum, status) => sum + run.totals[status], 0);
  return { done: of - run.totals.waiting - run.totals.running, of };
}
