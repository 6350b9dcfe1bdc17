/** Runs that go over machines in waves: tones, how far one is, and what failed first. */
import { WaveMachineStatus as MACHINE } from "../api/generated/words.ts";
import type { Schemas } from "../api/schema.ts";
import { codesOf, type Tone } from "../text.ts";

export type RunStatus = Schemas["WaveRunStatus"];
export type MachineStatus = Schemas["WaveMachineStatus"];
type Totals = { totals: Record<MachineStatus, number> };

export const RUN_TONE: Record<RunStatus, Tone> = { waiting: "", running: "accent", done: "ok", failed: "fail", stopped: "fail", cancelled: "warn" };
export const MACHINE_TONE: Record<MachineStatus, Tone> = {
  waiting: "", running: "accent", ok: "ok", failed: "fail", unreachable: "fail", refused: "warn", cancelled: "warn",
};
export const STATUSES = codesOf(MACHINE);
const WORST: MachineStatus[] = ["failed", "unreachable", "refused", "running", "cancelled", "waiting", "ok"];

export const isOpen = (run: { status: RunStatus }): boolean => run.status === "waiting" || run.status === "running";

/** What failed first, then what is under way, laggards before the others; each in the order in which machines go. */
export const worstFirst = <Row extends { id: number; status: MachineStatus; late?: boolean }>(machines: readonly Row[]): Row[] =>
  [...machines].sort((a, b) => WORST.indexOf(a.status) - WORST.indexOf(b.status) || Number(b.late ?? false) - Number(a.late ?? false) || a.id - b.id);

/** How far a run is: machines that are through, of all. */
export function through(run: Totals): { done: number; of: number } {
  const of = STATUSES.reduce((sum, status) => sum + run.totals[status], 0);
  return { done: of - run.totals.waiting - run.totals.running, of };
}
