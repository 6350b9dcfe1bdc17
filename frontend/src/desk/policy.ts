/** What a site decided for its desk, as a person reads and types it. Pure. */
import type { Schemas } from "../api/schema.ts";
import { DAYS as WEEKDAYS } from "../automation/words.ts";

export type Policy = Schemas["DeskPolicy"];
export type Priority = Policy["around_the_clock"][number];
export type DeskRule = Policy["queue_rules"][number];
export type DeskLimit = Policy["limits"][number];

export const PRIORITIES: readonly Priority[] = ["P1", "P2", "P3"];
export const DAYS = WEEKDAYS.map((day) => day.slice(0, 3));

/** `Mon–Fri`, `Mon–Wed, Sat`: three or more in a row are a span. `days` are numbers from Monday, 0. */
export function weekText(days: readonly number[]): string {
  const spans: number[][] = [];
  for (const day of [...days].sort((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last?.at(-1) === day - 1) last.push(day);
    else spans.push([day]);
  }
  const word = (day: number) => DAYS[day] ?? String(day);
  return spans.map((span) => (span.length > 2 ? `${word(span[0]!)}–${word(span.at(-1)!)}` : span.map(word).join(", "))).join(", ");
}

/** `08:00–18:00, Mon–Fri`. */
export const timesText = (policy: Policy): string => `${policy.work_from.slice(0, 5)}–${policy.work_until.slice(0, 5)}, ${weekText(policy.work_days)}`;

export const hoursOf = (policy: Policy, priority: Priority): number => ({ P1: policy.p1_hours, P2: policy.p2_hours, P3: policy.p3_hours })[priority];

/** `4 h around the clock`, `24 working hours`: whether nights and days off count. */
export function dueIn(policy: Policy, priority: Priority): string {
  const hours = hoursOf(policy, priority);
  return policy.around_the_clock.includes(priority) ? `${hours} h around the clock` : `${hours} working ${hours === 1 ? "hour" : "hours"}`;
}

/** The dates in a text, one a line or set apart by commas; in order, none twice. */
export const datesOf = (text: string): string[] => [...new Set(text.split(/[\s,;]+/).filter(Boolean))].sort();

/** What in the text is no date as `2026-12-25`: told before anything is sent. */
export const wrongDates = (text: string): string[] =>
  datesOf(text).filter((each) => !/^\d{4}-\d{2}-\d{2}$/.test(each) || Number.isNaN(Date.parse(each)) || new Date(each).toISOString().slice(0, 10) !== each);
