/** A software run as a matrix of machines and roles. */
import { WaveMachineStatus as MACHINE, TaskOutcome as OUTCOME } from "../api/generated/words.ts";
import type { Schemas } from "../api/schema.ts";

export type SoftwareRun = Schemas["SoftwareRun"];
export type SoftwareMachine = Schemas["SoftwareMachine"];
export type SoftwareRole = Schemas["SoftwareRole"];
export type Outcome = Schemas["TaskOutcome"];
export type Cell = Outcome | "running" | "waiting" | "none";

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
