/** A year as a map of days by hours: which step of the scale an hour has, and what is read out of it. Pure. */
import type { Year } from "./shapes.ts";
import { shownUnit } from "./trends.ts";
import { valueText } from "../util/chart.ts";

export const STEPS = 6;
const DAY = 86_400_000;

export interface Hour {
  day: number;
  hour: number;
}

/** 0 is not known; 1 to 6 from little to much. */
export function stepOf(year: Year, { day, hour }: Hour): number {
  const value = year.days[day]?.[hour] ?? null;
  if (value === null || year.low === null || year.high === null) return 0;
  if (year.high <= year.low) return 1;
  return Math.min(STEPS, 1 + Math.floor((STEPS * (value - year.low)) / (year.high - year.low)));
}

/** Where each step begins, and where the last one ends, in the unit shown. */
export function edgesOf(year: Year): number[] {
  if (year.low === null || year.high === null) return [];
  const { by } = shownUnit(year.unit);
  const [low, high] = [year.low / by, year.high / by];
  return Array.from({ length: STEPS + 1 }, (_, i) => low + ((high - low) * i) / STEPS);
}

export const dayAt = (year: Year, day: number): Date => new Date(Date.parse(`${year.first_day}T00:00:00Z`) + day * DAY);
const DATE = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });
const MONTH = new Intl.DateTimeFormat("en-GB", { month: "short", timeZone: "UTC" });
const two = (n: number): string => String(n).padStart(2, "0");

/** `Tue 3 Mar, 14:00–15:00 UTC: 37.2 kW`. */
export function hourWords(year: Year, { day, hour }: Hour): string {
  const { unit, by } = shownUnit(year.unit);
  const value = year.days[day]?.[hour] ?? null;
  return `${DATE.format(dayAt(year, day))}, ${two(hour)}:00–${two((hour + 1) % 24)}:00 UTC: ${value === null ? "not measured" : `${valueText(value / by)} ${unit}`}`;
}

/** The hour that a key leads to; null for another key. Page keys go a month on. */
export function walk(year: Year, { day, hour }: Hour, key: string): Hour | null {
  const ways: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], PageUp: [-30, 0], PageDown: [30, 0], Home: [-day, 0], End: [year.days.length, 0] };
  const way = ways[key];
  if (!way) return null;
  return { day: Math.min(Math.max(day + way[0], 0), Math.max(0, year.days.length - 1)), hour: Math.min(Math.max(hour + way[1], 0), 23) };
}

export interface Month {
  name: string;
  /** Its first day. */
  from: number;
  mean: number | null;
  low: number | null;
  high: number | null;
  /** Hours that were measured, of those there are. */
  known: number;
  of: number;
}

export function monthsOf(year: Year): Month[] {
  const { by } = shownUnit(year.unit);
  const months: { name: string; from: number; values: (number | null)[] }[] = [];
  year.days.forEach((hours, day) => {
    const name = MONTH.format(dayAt(year, day));
    if (months.at(-1)?.name !== name) months.push({ name, from: day, values: [] });
    months.at(-1)!.values.push(...(hours ?? Array.from({ length: 24 }, () => null)));
  });
  return months.map(({ name, from, values }) => {
    const known = values.filter((value) => value !== null).map((value) => value / by);
    const some = known.length > 0;
    return { name, from, known: known.length, of: values.length, mean: some ? known.reduce((a, b) => a + b, 0) / known.length : null, low: some ? Math.min(...known) : null, high: some ? Math.max(...known) : null };
  });
}
