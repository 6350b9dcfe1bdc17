/** What energy costs: for which time it is asked, and each number with what it lacks. Pure. */
import type { Energy, EnergyBy, EnergySum, PueHour } from "./shapes.ts";
import type { Series } from "../util/chart.ts";
import { least, money } from "./words.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export interface Span {
  key: string;
  word: string;
  days: number;
}
export const SPANS: readonly Span[] = [
  { key: "24h", word: "24 h", days: 1 },
  { key: "7d", word: "7 d", days: 7 },
  { key: "30d", word: "30 d", days: 30 },
  { key: "year", word: "Year", days: 365 },
];
export const spanOf = (key: string | null): Span => SPANS.find((span) => span.key === key) ?? SPANS[1]!;

/** A span that ends now, in whole minutes so that two asked in one moment are one. */
export function between(days: number, nowMs: number): { begin: string; end: string } {
  const end = Math.floor(nowMs / 60_000) * 60_000;
  return { begin: new Date(end - days * DAY).toISOString(), end: new Date(end).toISOString() };
}

export const BY_WORD: Record<EnergyBy, string> = { run: "Run", group: "Group", pool: "Pool", rack: "Rack", month: "Month", idle: "Idle machines" };
export const BYS = Object.keys(BY_WORD) as EnergyBy[];
export const byOf = (key: string | null): EnergyBy => BYS.find((by) => by === key) ?? "run";

export function kwhText({ kwh, at_least }: Pick<EnergySum, "kwh" | "at_least">): string {
  if (kwh === null) return "not known";
  return least(at_least, kwh.toLocaleString("en", { maximumFractionDigits: kwh < 100 ? 1 : 0 }));
}

export const costText = (row: Pick<EnergySum, "cost" | "at_least">, currency: string): string => (row.cost === null ? "not known" : least(row.at_least, money(row.cost, currency)));

/** `40.3 t`, `106 kg`. */
export function co2Text(kg: number | null, atLeast: boolean): string {
  if (kg === null) return "not known";
  return least(atLeast, kg >= 1_000 ? `${(kg / 1_000).toFixed(1)} t` : `${Math.round(kg).toLocaleString("en")} kg`);
}

export const errorText = (percent: number | null): string => (percent === null ? "" : `± ${percent.toLocaleString("en", { maximumFractionDigits: 1 })} %`);

/** `3 % not measured`; nothing where all was. */
export const unknownText = (share: number): string => (share <= 0 ? "" : share < 0.01 ? "less than 1 % not measured" : `${Math.round(share * 100)} % not measured`);

/** What the whole emitted, where every row is known. */
export const totalCo2 = (energy: Energy): number | null => (energy.total.kwh === null || energy.co2_g_per_kwh === null ? null : (energy.total.kwh * energy.co2_g_per_kwh) / 1_000);

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
