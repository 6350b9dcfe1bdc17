/** How repairs go, as charts and in words. Pure. */
import { RepairGrouping } from "../api/generated/words.ts";
import type { Schemas } from "../api/schema.ts";
import { codesOf } from "../text.ts";
import type { Series } from "../util/chart.ts";
import { valueText } from "../util/chart.ts";

export type Insight = Schemas["Insight"];
export type Spread = Schemas["Spread"];
export type Week = Schemas["InsightWeek"];
export type By = Schemas["InsightGroup"]["by"];
export type Measure = keyof Schemas["RepairTimes"];

const [HOUR, DAY] = [3_600, 86_400];
const WEEK_MS = 7 * DAY * 1_000;

export const MEASURES: { measure: Measure; word: string; title: string }[] = [
  { measure: "acknowledged", word: "Acknowledged", title: "Opened to acknowledged" },
  { measure: "hands_on", word: "Hands on", title: "Opened to hands on" },
  { measure: "verified", word: "Verified", title: "Opened to verified" },
];
export const GROUPS: { by: By; word: string }[] = codesOf(RepairGrouping).map((by) => ({ by, word: RepairGrouping[by].word }));
export const measureOf = (text: string | null) => MEASURES.find((each) => each.measure === text) ?? MEASURES[2]!;
export const groupOf = (text: string | null) => GROUPS.find((each) => each.by === text) ?? GROUPS[0]!;

// ---- the one range of the page ----

export const RANGES = [
  { weeks: 1, word: "Week" },
  { weeks: 4, word: "4 weeks" },
  { weeks: 12, word: "12 weeks" },
  { weeks: 52, word: "Year" },
];
export const USUAL = RANGES[2]!;

export interface Range {
  /** Null: by its own days. */
  weeks: number | null;
  from: number;
  to: number;
}

/** The range in the address: two times, or weeks that end now, in whole seconds so that two asked in one moment are one. */
export function rangeOf(query: URLSearchParams, nowMs: number): Range {
  const now = Math.floor(nowMs / 1_000) * 1_000;
  const [from, to] = [Date.parse(query.get("from") ?? ""), Math.min(Date.parse(query.get("to") ?? ""), now)];
  if (from < to) return { weeks: null, from, to };
  const weeks = (RANGES.find((range) => String(range.weeks) === query.get("weeks")) ?? USUAL).weeks;
  return { weeks, from: now - weeks * WEEK_MS, to: now };
}

export const queryOf = (range: Range) => ({ from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() });

/** The day of a field, in the reader's own time: "2026-03-02". */
export function dayText(ms: number): string {
  const at = new Date(ms);
  return [at.getFullYear(), String(at.getMonth() + 1).padStart(2, "0"), String(at.getDate()).padStart(2, "0")].join("-");
}

/** What a day that was picked puts into the address; the day of the end belongs to the range. */
export function picked(range: Range, end: "from" | "to", day: string): { from: string; to: string } | null {
  const at = Date.parse(`${day}T00:00`);
  if (Number.isNaN(at)) return null;
  const [from, to] = end === "from" ? [at, range.to] : [range.from, at + DAY * 1_000];
  return from < to ? { from: new Date(from).toISOString(), to: new Date(to).toISOString() } : null;
}

// ---- in words ----

/** As the report says it: "12 min", "3.4 h", "2.1 d". */
export function duration(seconds: number): string {
  if (seconds < HOUR) return `${Math.round(seconds / 60)} min`;
  return seconds < 2 * DAY ? `${(seconds / HOUR).toFixed(1)} h` : `${(seconds / DAY).toFixed(1)} d`;
}

export const tooLittle = (n: number, least: number): string => `Too little data: ${n} of at least ${least}`;
export const medianText = (each: Spread): string => (each.median === null ? "–" : duration(each.median));
export const p90Text = (each: Spread): string => (each.p90 === null ? "–" : duration(each.p90));
export const shareText = (each: Schemas["Share"]): string => (each.share === null ? "–" : `${Math.round(each.share * 100)} %`);
export const rateText = (rate: number | null): string => (rate === null ? "not known" : valueText(rate));
export const hoursText = (hours: number): string => hours.toLocaleString("en", { maximumFractionDigits: hours < 10 ? 1 : 0 });
export const moneyText = (money: number, currency: string): string => `${money.toLocaleString("en", { maximumFractionDigits: 0 })} ${currency}`;

const WHOLE: Partial<Record<string, string>> = { gpu: "GPU", hca: "HCA", nvme: "NVMe", bmc: "BMC", psu: "PSU", cpu: "CPU", pcie: "PCIe", dimm: "DIMM" };
/** Parts as people write them; classes of faults, names of racks and shifts stay as they are. */
export const nameOf = (by: By, name: string): string => (by === "part" ? partName(name) : name);
export const partName = (part: string): string => WHOLE[part] ?? part.charAt(0).toUpperCase() + part.slice(1).replaceAll("_", " ");

// ---- charts ----

const point = (week: Week, value: number | null): [string, number | null] => [week.begin, value];

/** Median and 90th percentile in hours; the line breaks in a week of too little data. */
export function timeLines(weeks: readonly Week[], measure: Measure): Series[] {
  const hours = (seconds: number | null) => (seconds === null ? null : seconds / HOUR);
  return [
    { name: "median", points: weeks.map((week) => point(week, hours(week.times[measure].median))) },
    { name: "90th percentile", points: weeks.map((week) => point(week, hours(week.times[measure].p90))) },
  ];
}

export const ticketLines = (weeks: readonly Week[]): Series[] => [
  { name: "opened", points: weeks.map((week) => point(week, week.opened)) },
  { name: "closed", points: weeks.map((week) => point(week, week.closed)) },
];

export const hourLines = (weeks: readonly Week[]): Series[] => [
  { name: "out of service", points: weeks.map((week) => point(week, week.out_of_service)) },
  { name: "lost by training runs", points: weeks.map((week) => point(week, week.lost)) },
];

export const isKnown = (series: readonly Series[]): boolean => series.some((each) => each.points.some(([, value]) => value !== null));

/** What the weeks cost together. Money is null without a rate. */
export function costOf(weeks: readonly Week[]): { outOfService: number; lost: number; money: number | null } {
  const sum = (part: (week: Week) => number) => weeks.reduce((all, week) => all + part(week), 0);
  const priced = weeks.some((week) => week.money !== null);
  return { outOfService: sum((week) => week.out_of_service), lost: sum((week) => week.lost), money: priced ? sum((week) => week.money ?? 0) : null };
}

/** Open tickets of an age band, and the widest band, for bars beside the numbers. */
export const openOf = (row: Schemas["InsightAge"]): number => row.P1 + row.P2 + row.P3;
export const widest = (rows: readonly Schemas["InsightAge"][]): number => Math.max(1, ...rows.map(openOf));
