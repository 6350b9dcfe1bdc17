/** What energy costs: for which time it is asked, and each number with what it lacks. Pure. */
import * as words from "../api/generated/words.ts";
import { codesOf, wordsOf } from "../text.ts";
import type { Energy, EnergyBy, EnergyRow, PueHour } from "./shapes.ts";
import type { Series } from "../util/chart.ts";
import { least, money } from "./words.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Of PUE by the hour. */
const MOST_HOURS_DAYS = 35;

export interface Span {
  key: string;
  word: string;
  days: number;
}
export const SPANS: readonly Span[] = [
  { key: "day", word: "Today", days: 1 },
  { key: "7d", word: "7 d", days: 7 },
  { key: "30d", word: "30 d", days: 30 },
  { key: "year", word: "Year", days: 365 },
];
export const spanOf = (key: string | null): Span => SPANS.find((span) => span.key === key) ?? SPANS[1]!;

/** Energy is kept by days (UTC): the last so many, today among them, up to the day behind it. */
export function daysUntil(days: number, nowMs: number): { begin: string; end: string } {
  const today = Math.floor(nowMs / DAY) * DAY;
  return { begin: dayOf(today - (days - 1) * DAY), end: dayOf(today + DAY) };
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** The day behind a last one, and back: people name the last day, the service the one behind it. */
export const dayAfter = (day: string, by = 1): string => dayOf(Date.parse(day) + by * DAY);

/** Days as moments; PUE is asked of the last 35 days at most. */
export function momentsOf({ begin, end }: { begin: string; end: string }, mostDays = MOST_HOURS_DAYS): { begin: string; end: string } {
  const last = Date.parse(end);
  return { begin: new Date(Math.max(Date.parse(begin), last - mostDays * DAY)).toISOString(), end: new Date(last).toISOString() };
}

/** What holds clocks down. */
export const SLOWED = [
  ["hot", "by heat"],
  ["braked", "by the power brake"],
  ["capped", "at the power limit"],
] as const;
export function hoursText(hours: number | null, atLeast: boolean): string {
  if (hours === null) return "not known";
  return `${atLeast ? "at least " : ""}${hours.toLocaleString("en", { maximumFractionDigits: hours < 10 ? 1 : 0 })} h`;
}

/** A span that ends now, in whole minutes so that two asked in one moment are one. */
export function between(days: number, nowMs: number): { begin: string; end: string } {
  const end = Math.floor(nowMs / 60_000) * 60_000;
  return { begin: new Date(end - days * DAY).toISOString(), end: new Date(end).toISOString() };
}

export const BY_WORD = wordsOf(words.EnergyBy);
export const BYS = codesOf(words.EnergyBy);
export const byOf = (key: string | null): EnergyBy => BYS.find((by) => by === key) ?? "run";

export function kwhText({ kwh, at_least }: Pick<EnergyRow, "kwh" | "at_least">): string {
  if (kwh === null) return "not known";
  return least(at_least, kwh.toLocaleString("en", { maximumFractionDigits: kwh < 100 ? 1 : 0 }));
}

export const costText = (row: Pick<EnergyRow, "cost" | "cost_at_least">, currency: string): string => (row.cost === null ? "not known" : least(row.cost_at_least, money(row.cost, currency)));

/** `40.3 t`, `106 kg`. */
export function co2Text(kg: number | null, atLeast: boolean): string {
  if (kg === null) return "not known";
  return least(atLeast, kg >= 1_000 ? `${(kg / 1_000).toFixed(1)} t` : `${kg.toLocaleString("en", { maximumFractionDigits: kg < 10 ? 1 : 0 })} kg`);
}

export const errorText = (percent: number | null): string => (percent === null ? "" : `± ${percent.toLocaleString("en", { maximumFractionDigits: 1 })} %`);

/** `3 % not measured`; nothing where all was. */
export const unknownText = (share: number): string => (share <= 0 ? "" : share < 0.01 ? "less than 1 % not measured" : `${Math.round(share * 100)} % not measured`);

/** Below a table: with which tariff, factor and error it was worked out. */
export function basisWords(energy: Energy): string {
  return [
    errorText(energy.total.error_percent) && `Error ${errorText(energy.total.error_percent)}`,
    energy.tariff_per_kwh === null ? "no tariff set" : `${money(energy.tariff_per_kwh, energy.currency, 3)}/kWh`,
    energy.co2_g_per_kwh === null ? "no CO₂ factor set" : `${energy.co2_g_per_kwh.toLocaleString("en")} g CO₂/kWh`,
    unknownText(energy.total.unknown_share),
  ]
    .filter(Boolean)
    .join(" · ");
}

export const pueSeries = (hours: readonly PueHour[]): Series[] => [{ name: "PUE", points: hours.map(({ at, pue }) => [at, pue]) }];
