/** The limits of a site: how full each is, who waits for it, and how its form is read. */
import { StartLimitKind } from "../api/generated/words.ts";
import type { Body, Schemas } from "../api/schema.ts";
import { plural } from "../text.ts";

export type Limits = Schemas["ProvisioningLimits"];
export type StartLimit = Schemas["StartLimit"];
type Change = Body<"/api/provisioning/limits/{id}/", "patch">;
type Stage = Limits["usual_stages"][number]["stage"];

const HOUR_S = 3_600;

/** `Rack B02`, `Boot server`; a run by its own name, with the word only where it has none. */
export const limitName = ({ kind, name }: Pick<StartLimit, "kind" | "name">): string =>
  kind === "run" && name && !/^run \d+$/.test(name) ? `Run “${name}”` : kind === "run" && name ? name.replace("run", "Run") : `${StartLimitKind[kind].word} ${name}`.trim();

export const isFull = (limit: StartLimit): boolean => limit.under_way >= limit.most;

/** What each machine of runs that is held waits for, in the words of its row: `rack B02 is full (4 of 4)`. */
export function waitsFor(limits: readonly StartLimit[]): Map<number, string> {
  const held = new Map<number, string>();
  for (const limit of limits) {
    const why = `${heldBy(limit)} (${limit.under_way} of ${limit.most})`;
    for (const { run_machine } of limit.waiting) held.set(run_machine, held.has(run_machine) ? `${held.get(run_machine)}, ${why}` : why);
  }
  return held;
}

function heldBy(limit: StartLimit): string {
  if (limit.kind === "all_runs") return "all runs together are full";
  if (limit.kind === "run") return "the run is full";
  if (limit.kind === "mirror") return "the boot server is full";
  const name = limitName(limit);
  return `${name.charAt(0).toLowerCase()}${name.slice(1)} is full`;
}

/** Machines that wait, each once: one may wait for several limits. */
export const heldCount = (limits: readonly StartLimit[]): number =>
  new Set(limits.flatMap((limit) => limit.waiting.map((each) => each.run_machine))).size;

/** The machines that a limit holds, the first by name. */
export function heldNames({ waiting }: StartLimit, shown = 8): string {
  const more = waiting.length - shown;
  return `${waiting.slice(0, shown).map(({ name }) => name).join(", ")}${more > 0 ? ` and ${plural(more, "more", "more")}` : ""}`;
}

/** A form of a site's limits: numbers as they are typed, null for an empty field. */
export interface Form {
  a_rack: number | null;
  a_switch: number | null;
  a_mirror: number | null;
  hours: Partial<Record<Stage, number | null>>;
}

export const formOf = (limits: Limits): Form => ({
  a_rack: limits.a_rack,
  a_switch: limits.a_switch,
  a_mirror: limits.a_mirror,
  hours: Object.fromEntries(limits.stages.map(({ stage, seconds }) => [stage, seconds === null ? null : seconds / HOUR_S])),
});

/** What is sent; a field that was emptied is as usual again. */
export const changeOf = (form: Form, limits: Limits): Change => ({
  a_rack: form.a_rack ?? null,
  a_switch: form.a_switch ?? null,
  a_mirror: form.a_mirror ?? null,
  stages: limits.usual_stages.map(({ stage }) => ({ stage, seconds: form.hours[stage] == null ? null : Math.round(form.hours[stage] * HOUR_S) })),
});
