/** Verdicts in the order one reads them. */
import type { CheckResult, Verdict } from "../api/shapes.ts";
import { VERDICTS } from "../text.ts";

const byPart = (a: CheckResult, b: CheckResult): number =>
  a.part.localeCompare(b.part, "en", { numeric: true }) || a.check.localeCompare(b.check);

/** Everything that is not ok, worst group first, parts in order within a group. */
export function troubles(results: CheckResult[]): { verdict: Verdict; results: CheckResult[] }[] {
  return VERDICTS.filter((verdict) => verdict !== "ok")
    .map((verdict) => ({ verdict, results: results.filter((result) => result.verdict === verdict).sort(byPart) }))
    .filter((group) => group.results.length);
}

/** Another part of the right type was seen; a failed identity (wrong type, wrong machine) is nothing to accept. */
export const isOtherPart = (result: CheckResult): boolean => result.check === "gpu.identity" && result.verdict === "warn";

export function okByCheck(results: CheckResult[]): { check: string; title: string; parts: string[] }[] {
  const checks = new Map<string, { check: string; title: string; parts: string[] }>();
  for (const result of results.filter((candidate) => candidate.verdict === "ok").sort(byPart)) {
    const entry = checks.get(result.check) ?? { check: result.check, title: result.title, parts: [] };
    entry.parts.push(result.part_text);
    checks.set(result.check, entry);
  }
  return [...checks.values()].sort((a, b) => a.check.localeCompare(b.check));
}

/** The worst verdict of each part, for the pips of a machine. */
export function worstByPart(results: CheckResult[]): Map<string, Verdict> {
  const worst = new Map<string, Verdict>();
  for (const { part, verdict } of results) {
    const held = worst.get(part);
    if (!held || VERDICTS.indexOf(verdict) < VERDICTS.indexOf(held)) worst.set(part, verdict);
  }
  return worst;
}

/** Rows as tab-separated text, for a spreadsheet. */
export function tsv(head: string[], rows: (string | number | null | undefined)[][]): string {
  const cell = (value: string | number | null | undefined) => String(value ?? "").replace(/[\t\r\n]+/g, " ");
  return [head, ...rows].map((row) => row.map(cell).join("\t")).join("\n");
}
