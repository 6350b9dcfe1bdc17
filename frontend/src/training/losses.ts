/** What failures cost: the calls, and the rows as bars by week and as a table by cause. Pure but for the calls. */
import { get, linkTo } from "../api/client.ts";
import { FailureClass } from "../api/generated/words.ts";
import type { Query, Schemas } from "../api/schema.ts";

export type Losses = Schemas["RunLosses"];
export type WeekLoss = Schemas["WeekLoss"];

export const losses = (query: Query<"/api/runs/losses/">) => get("/api/runs/losses/", { query });
export const lossesCsvUrl = (query: Query<"/api/runs/losses.csv">) => linkTo("/api/runs/losses.csv", { query });

const DAY = 86_400_000;
export const RANGES = [
  { weeks: 12, word: "12 weeks" },
  { weeks: 26, word: "Half a year" },
  { weeks: 52, word: "Year" },
];
export const rangeOf = (text: string | null) => RANGES.find((range) => String(range.weeks) === text) ?? RANGES[0]!;

/** The query of the weeks that end now, in whole seconds so that two asked in one moment are one. */
export function queryOf(weeks: number, nowMs: number): { from: string; to: string } {
  const to = Math.floor(nowMs / 1000) * 1000;
  return { from: new Date(to - (weeks * 7 - 7) * DAY).toISOString(), to: new Date(to).toISOString() };
}

export const causeWord = (cause: WeekLoss["cause"]): string => (cause ? FailureClass[cause].word : "Not known");

export interface Cause {
  cause: WeekLoss["cause"];
  owner: WeekLoss["owner"];
  hours: number;
  repeated: number;
  standing: number;
  slow: number;
  runs: number;
}

/** Causes over all weeks, the dearest first. A run that lost something in two weeks counts in both. */
export function causesOf(rows: readonly WeekLoss[]): Cause[] {
  const found = new Map<string, Cause>();
  for (const row of rows) {
    const key = `${row.cause}/${row.owner}`;
    const known = found.get(key) ?? { cause: row.cause, owner: row.owner, hours: 0, repeated: 0, standing: 0, slow: 0, runs: 0 };
    known.hours += row.gpu_hours;
    known.repeated += row.repeated;
    known.standing += row.standing;
    known.slow += row.slow;
    known.runs += row.runs;
    found.set(key, known);
  }
  return [...found.values()].sort((a, b) => b.hours - a.hours);
}

/** Bars have so many colours; the other causes are one part. */
export const MOST_COLOURS = 5;
export const OTHER = "Other causes";

export interface Bar {
  week: string;
  hours: number;
  parts: { name: string; at: number; hours: number }[];
}

/** A bar a week, with its parts in the order of the whole span; `at` is the place of its colour. */
export function barsOf(weeks: readonly string[], rows: readonly WeekLoss[]): { names: string[]; bars: Bar[] } {
  const words = [...new Set(causesOf(rows).map((cause) => causeWord(cause.cause)))];
  const shown = words.length > MOST_COLOURS ? [...words.slice(0, MOST_COLOURS - 1), OTHER] : words;
  const bars = weeks.map((week) => {
    const parts = shown.map((name, at) => ({ name, at, hours: 0 }));
    for (const row of rows) {
      if (row.week !== week) continue;
      const at = shown.indexOf(causeWord(row.cause));
      parts[at < 0 ? shown.length - 1 : at]!.hours += row.gpu_hours;
    }
    return { week, hours: parts.reduce((sum, part) => sum + part.hours, 0), parts: parts.filter((part) => part.hours > 0) };
  });
  return { names: shown, bars };
}

/** "1,562", "4.2", "0.04". */
export const hoursText = (hours: number): string => hours.toLocaleString("en", { maximumFractionDigits: hours < 1 ? 2 : hours < 10 ? 1 : 0 });

/** "2 Nov". */
export const weekText = (week: string): string =>
  new Date(`${week}T00:00:00Z`).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
