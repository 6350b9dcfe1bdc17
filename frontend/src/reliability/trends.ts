/** Trends as charts and as numbers: what is asked for, what one chart shows, and what the whole span comes to. Pure. */
import type { Series } from "../util/chart.ts";
import { valueText } from "../util/chart.ts";
import { span } from "../util/time.ts";
import type { Bucket, Trends, TrendSeries, What } from "./shapes.ts";

const DAY = 86_400_000;

export interface Range {
  days: number;
  word: string;
  bucket: Bucket;
}

export const RANGES: Range[] = [
  { days: 30, word: "30 days", bucket: "day" },
  { days: 90, word: "90 days", bucket: "day" },
  { days: 365, word: "Year", bucket: "week" },
];

export const rangeOf = (text: string | null): Range => RANGES.find((range) => String(range.days) === text) ?? RANGES[0]!;

/** The query of a range that ends now, in whole seconds so that two asked in one moment are one. */
export function queryOf(range: Range, nowMs: number): { from: string; to: string; bucket: Bucket } {
  const to = Math.floor(nowMs / 1000) * 1000;
  return { from: new Date(to - range.days * DAY).toISOString(), to: new Date(to).toISOString(), bucket: range.bucket };
}

export interface Panel {
  what: What;
  title: string;
  explain: string;
}

export const PANELS: Panel[] = [
  { what: "availability", title: "Availability", explain: "Share of machine-time in service, by pool." },
  { what: "failures_by_part", title: "Failures by part", explain: "Confirmed faults per 1,000 GPU-days." },
  { what: "mtbf", title: "Time between failures", explain: "Hours in service for each failure. No point where nothing failed." },
  { what: "mttr", title: "Time to repair", explain: "From the confirmed fault to the passed verification, by stage." },
  { what: "failures_by_class", title: "Failures by kind", explain: "Confirmed faults per 1,000 GPU-days." },
];

/** A chart holds so many lines; the largest lead, the others are in the table and the CSV. */
export const MOST_LINES = 4;

export function sumOf(series: TrendSeries): { count: number; base: number } {
  return series.points.reduce((sum, point) => ({ count: sum.count + point.count, base: sum.base + point.base }), { count: 0, base: 0 });
}

/** The series of one panel, those with the most in them first. */
export function seriesOf(trends: Trends, what: What): TrendSeries[] {
  const found = trends.series.filter((series) => series.what === what);
  return [...found].sort((a, b) => sumOf(b).count - sumOf(a).count || a.group.localeCompare(b.group));
}

export const isShare = (series: TrendSeries): boolean => series.what === "availability";

const SHORT = new Set(["gpu", "hca", "nvme", "bmc", "psu", "cpu", "pcie"]);
/** What a line is called: parts as people write them, classes of faults as the catalogue has them. */
export function titleOf({ what, title }: Pick<TrendSeries, "what" | "title">): string {
  if (what === "failures_by_class" || what === "availability") return title;
  return SHORT.has(title) ? title.toUpperCase() : title.charAt(0).toUpperCase() + title.slice(1);
}

/** Where the last bucket begins when it is not over: a rate of half an hour says nothing beside those of whole days. */
export function overUntil({ to, bucket }: Pick<Trends, "to" | "bucket">): number {
  const at = new Date(to);
  const back = bucket === "week" ? (at.getUTCDay() + 6) % 7 : 0;
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() - back);
}

/** How much must have been watched before a rate is said: GPU-days, machine-hours. A rate per 1,000 GPU-days is then
 * at most ten times what was counted; of a handful of minutes it says nothing. */
const LEAST: Partial<Record<TrendSeries["what"], number>> = { failures_by_part: 100, failures_by_class: 100, mtbf: 100 };
const isEnough = (what: TrendSeries["what"], base: number): boolean => base >= (LEAST[what] ?? 0);

/** Lines of the chart, shares as per cent; of rates only buckets that begin before `until` and hold enough. */
export function linesOf(series: TrendSeries[], until = Infinity): Series[] {
  return series.slice(0, MOST_LINES).map((each) => ({
    name: titleOf(each),
    points: each.points.filter((point) => isShare(each) || Date.parse(point.at) < until).map((point) => [point.at, point.value === null || !isEnough(each.what, point.base) ? null : isShare(each) ? point.value * 100 : point.value]),
  }));
}

export const unitOf = (series: TrendSeries): string => (isShare(series) ? "%" : series.unit);

/** Whether anything is known at all. */
export const isKnown = (series: TrendSeries[]): boolean => series.some((each) => each.points.some((point) => point.value !== null));

/** What one series comes to over the whole span, in words; empty where nothing is known. */
export function wholeOf(series: TrendSeries): string {
  const { count, base } = sumOf(series);
  if (!base) return "";
  if (isShare(series)) return `${((100 * count) / base).toFixed(2)} %`;
  if (!isEnough(series.what, base)) return `too little data: ${valueText(Math.round(base * 10) / 10)} ${series.what === "mtbf" ? "machine-hours" : "GPU-days"} watched`;
  if (series.what === "mtbf") return count ? `${valueText(base / count)} h` : `more than ${valueText(base)} h`;
  if (series.what === "mttr") return series.unit === "hours" ? span((count / base) * 3_600) : `${valueText(count / base)} ${series.unit}`;
  return `${valueText((1000 * count) / base)} per 1,000 GPU-days`;
}
