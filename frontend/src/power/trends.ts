/** The past of a rack: spans, and a history as lines with a band from low to high. Pure. */
import type { Series } from "../util/chart.ts";
import type { History, RackQuantity } from "./shapes.ts";

export interface Range {
  key: string;
  word: string;
  hours: number;
}
export const RANGES: readonly Range[] = [
  { key: "1h", word: "1 h", hours: 1 },
  { key: "24h", word: "24 h", hours: 24 },
  { key: "14d", word: "14 d", hours: 14 * 24 },
  { key: "year", word: "Year", hours: 365 * 24 },
];
export const rangeOf = (key: string | null): Range => RANGES.find((range) => range.key === key) ?? RANGES[1]!;

export const QUANTITY_WORD: Record<RackQuantity, string> = { power_w: "Power", inlet_c: "Inlet", delta_t_c: "ΔT", hottest_gpu_c: "Hottest GPU" };
export const QUANTITIES = Object.keys(QUANTITY_WORD) as RackQuantity[];

/** How a quantity is shown: watts of a rack in kilowatts. */
export const shownUnit = (unit: string): { unit: string; by: number } => (unit === "W" ? { unit: "kW", by: 1_000 } : { unit, by: 1 });

/** Mean, low and high as a chart takes them; the last two bound the band. */
export function linesOf(history: History): Series[] {
  const begin = Date.parse(history.begin);
  const { by } = shownUnit(history.unit);
  const points = (values: (number | null)[]): Series["points"] => values.map((value, i) => [new Date(begin + i * history.step_s * 1_000).toISOString(), value === null ? null : value / by]);
  return [
    { name: "mean", points: points(history.mean) },
    { name: "low", points: points(history.low) },
    { name: "high", points: points(history.high) },
  ];
}

export const isMeasured = (history: History): boolean => history.mean.some((value) => value !== null);
