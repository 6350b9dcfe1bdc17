/** What the page of fit to start says of its answer; and what its address names. */
import * as words from "../../api/generated/words.ts";
import type { Fit, FitChoice, FitLine, Verdict } from "../../api/shapes.ts";
import { codesOf, plural, toned, wordsOf } from "../../text.ts";

export const FIT = toned(words.FitVerdict, { fit: "ok", not_fit: "fail", unknown: "warn" });
export const CRITERION = toned(words.FitCriterionState, { ok: "ok", warn: "warn", fail: "fail", unknown: "warn" });
export const DISTANCE = toned(words.SpareDistance, { leaf: "ok", pod: "ok", anywhere: "warn" });
export const MEASURE = words.FitMeasure;
export const WAY = wordsOf(words.FitWay);

/** The mark of a criterion; null where there is nothing to say yet. */
export function markOf(state: FitLine["state"]): Verdict | null {
  return state === "ok" || state === "warn" || state === "fail" || state === "unknown" ? state : null;
}

/** `508 of 511`, `all`, or the state where machines are not counted. */
export function countOf(line: FitLine): string {
  if (line.good === null || line.of === null) return CRITERION[line.state].word.toLowerCase();
  if (line.id === "spares") return line.good.toLocaleString("en");
  if (line.good === line.of) return "all";
  return `${line.good.toLocaleString("en")} of ${line.of.toLocaleString("en")}`;
}

/** `2 criteria fail, 1 warns, 6 pass.` */
export function summaryOf(fit: Fit): string {
  const of = (state: FitLine["state"]) => fit.criteria.filter((line) => line.state === state).length;
  const told: [number, string, string][] = [
    [of("fail"), "fails", "fail"], [of("unknown"), "is not known", "are not known"], [of("warn"), "warns", "warn"], [of("ok"), "passes", "pass"],
  ];
  return told.filter(([count]) => count).map(([count, one, many]) => `${count} ${count === 1 ? one : many}`).join(", ");
}

export const titleOfChoice = (choice: FitChoice): string =>
  `${choice.count.toLocaleString("en")} ${choice.count === 1 ? "machine" : "machines"}${choice.id === "whole" ? "" : `, ${WAY[choice.id].toLowerCase()}`}`;

/** Which machines: the words of the address, and what people read for them. */
export const NAMED = { hosts: "Host list", pool: "Pool", run: "Training run", job: "Job", partition: "Partition" } as const;
export type Named = keyof typeof NAMED;
export const NAMES = codesOf(NAMED);

/** What an address names; null where it names nothing. */
export function namedBy(query: URLSearchParams): { by: Named; value: string } | null {
  for (const by of NAMES) {
    const value = query.get(by)?.trim();
    if (value) return { by, value };
  }
  return null;
}

export const FORMS = { slurm: "Slurm", mpi: "MPI", torchrun: "torchrun", json: "JSON" } as const;
export type Form = keyof typeof FORMS;

export const machinesText = (count: number): string => plural(count, "machine");
