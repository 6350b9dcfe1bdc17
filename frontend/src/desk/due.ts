/** When a ticket is due, as a person at the desk reads it. */
import { span } from "../util/time.ts";

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const WEEK_MS = 6 * 86_400_000;

/** `13:40` today, `Tue 09:00` within the week, `18 Dec` later; `2 h late` when it is over. */
export function dueText(iso: string | null, nowMs: number): string {
  if (!iso) return "";
  const at = Date.parse(iso);
  if (at < nowMs) return `${span((nowMs - at) / 1_000)} late`;
  if (new Date(at).toDateString() === new Date(nowMs).toDateString()) return CLOCK.format(at);
  return at - nowMs < WEEK_MS ? WEEKDAY.format(at).replace(",", "") : DAY.format(at);
}

/** The line of the cost without the priority that stands beside it. */
export const costText = (line: string): string => line.replace(/^P\d: /, "");

export interface Until {
  word: string;
  at: Date;
}

/** Times to snooze until, by the clock of the screen. */
export function untils(now: Date): Until[] {
  const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
  const morning = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 8);
  const toMonday = (8 - now.getDay()) % 7 || 7;
  return [
    { word: "1 hour", at: later(1) },
    { word: "4 hours", at: later(4) },
    { word: "Tomorrow 08:00", at: morning(1) },
    { word: "Monday 08:00", at: morning(toMonday) },
  ];
}
