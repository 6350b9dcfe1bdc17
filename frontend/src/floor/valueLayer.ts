/** The floor coloured by one value of each machine: a measured number, a version, a custom field. Pure. */
import type { Cell, FloorValues, MachineRow } from "../api/shapes.ts";
import { COLOURS, type Group, groupLayer, largestFirst, OTHERS } from "../map/groups.ts";
import type { Layer } from "../map/layer.ts";
import { STEPS } from "../map/shapes.ts";
import { span } from "../util/time.ts";

/** How the address calls machines without a value. */
export const ABSENT = "absent";

export interface Valued {
  groups: Group[];
  others: number;
  absent: number;
  absentWord: string;
  absentCell: Cell;
  layer: Layer;
}

/** Ages are told apart by what people do about them, not by equal widths. */
const AGES_S = [60, 300, 900, 3_600, 86_400];

const NUMBER = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const textOf = (value: number, unit: string): string => (unit === "s" ? span(value) : unit ? `${NUMBER.format(value)} ${unit}` : NUMBER.format(value));

/** 1, 2 or 5 times a power of ten, at least `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least * (1 - 1e-9))!;
}

/** The inner borders of at most `STEPS` steps of equal width that end at round numbers. */
export function borders(values: readonly number[], unit: string): number[] {
  if (unit === "s") return AGES_S;
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!(most > least)) return [];
  const whole = values.every(Number.isInteger);
  let step = roundStep(Math.max((most - least) / STEPS, whole ? 1 : 0));
  while (Math.floor(most / step) - Math.floor(least / step) >= STEPS) step = roundStep(step * 1.01);
  const first = Math.floor(least / step);
  return Array.from({ length: Math.floor(most / step) - first }, (_, i) => Number(((first + i + 1) * step).toPrecision(12)));
}

/** `under 40 °C`, `40 to 60 °C`, `60 °C or more`. */
function wordsOf(inner: readonly number[], unit: string, values: readonly number[]): string[] {
  if (!inner.length) return [textOf(values[0] ?? 0, unit)];
  return [...inner, null].map((upper, i) => {
    const lower = inner[i - 1];
    if (lower === undefined) return `under ${textOf(upper!, unit)}`;
    return upper === null ? `${textOf(lower, unit)} or more` : `${unit === "s" ? span(lower) : NUMBER.format(lower)} to ${textOf(upper, unit)}`;
  });
}

/** Steps of a scale as groups: pale to strong over those that are shown, without empty ones at either end. */
function steps(words: readonly string[], counts: readonly number[], keys: readonly string[]): Group[] {
  const first = counts.findIndex(Boolean);
  const last = counts.findLastIndex(Boolean);
  const shown = words.slice(first, last + 1).map((word, i) => ({ word, key: keys[first + i]!, machines: counts[first + i]! }));
  return shown.map((each, i) => ({ ...each, says: "", number: shown.length === 1 ? STEPS / 2 : 1 + Math.round((i * (STEPS - 1)) / (shown.length - 1)) }));
}

interface Sorted {
  groups: Group[];
  others: number;
  /** The key of a value's group. */
  keyOf(value: number | string): string;
  scale: boolean;
}

function sorted({ kind, unit, order }: FloorValues, values: readonly (number | string)[]): Sorted {
  const counts = new Map<string, number>();
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  if (kind === "number") {
    const numbers = values as readonly number[];
    const inner = borders(numbers, unit);
    // By its lower border: the next sweep may cut the steps in other places.
    const keys = ["low", ...inner.map(String)];
    const keyOf = (value: number | string) => keys[inner.filter((border) => Number(value) >= border).length]!;
    numbers.forEach((value) => count(keyOf(value)));
    const words = wordsOf(inner, unit, numbers);
    return { groups: values.length ? steps(words, keys.map((key) => counts.get(key) ?? 0), keys) : [], others: 0, keyOf, scale: true };
  }
  values.forEach((value) => count(String(value)));
  if (order.length) return { groups: values.length ? steps(order, order.map((word) => counts.get(word) ?? 0), order) : [], others: 0, keyOf: String, scale: true };
  const largest = largestFirst(counts).map((group) => ({ ...group, word: group.key, says: "" }));
  const others = largest.slice(COLOURS).reduce((sum, { machines }) => sum + machines, 0);
  return { groups: largest.slice(0, COLOURS), others, keyOf: String, scale: false };
}

export function valued(data: FloorValues, machines: Iterable<MachineRow>, asked: ReadonlySet<string>): Valued {
  const of = new Map(data.machines.rows as [number, number | string][]);
  const here = [...machines];
  const told = here.flatMap(({ id }) => of.get(id) ?? []);
  const { groups, others, keyOf, scale } = sorted(data, told);
  const numbers = new Map(groups.map(({ key, number }) => [key, number]));
  const chosen = new Set([...asked].filter((key) => numbers.has(key) || key === ABSENT || (key === OTHERS && others > 0)));
  const absentWord = data.absent || "Unknown";
  const absentCell: Cell = data.absent ? "available" : "no_signal";
  const layer = groupLayer(
    {
      numberOf: ({ id }) => {
        const value = of.get(id);
        return value === undefined ? null : (numbers.get(keyOf(value)) ?? 0);
      },
      chipOf: ({ id }) => {
        const value = of.get(id);
        if (value === undefined) return ABSENT;
        return numbers.has(keyOf(value)) ? keyOf(value) : OTHERS;
      },
      textOf: ({ id }) => {
        const value = of.get(id);
        if (value === undefined) return absentWord.toLowerCase();
        return typeof value === "number" ? textOf(value, data.unit) : value;
      },
      cellOf: () => absentCell,
      wordOf: () => absentWord,
      scale,
    },
    chosen,
  );
  return { groups, others, absent: here.length - told.length, absentWord, absentCell, layer };
}
