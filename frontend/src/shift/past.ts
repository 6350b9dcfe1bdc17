/** The past on the screen: the strip's areas, its steps, and what the map says of a machine then. Pure. */
import type { Cell, MachineRow } from "../api/shapes.ts";
import type { Schemas } from "../api/schema.ts";
import { type Layer, STATE_LAYER } from "../map/layer.ts";
import { stateWord, VERDICT_WORD } from "../text.ts";
import { ago } from "../util/time.ts";

export type Strip = Schemas["StripCounts"];
export const STEP_MS = 300_000;
/** The cells that the strip stacks, from the bottom. */
export const STACK = ["failed", "repair", "drained", "provisioning"] as const satisfies readonly Cell[];

export interface Area {
  cell: (typeof STACK)[number];
  /** Of a path from 0 to 1 in both directions, y downwards. */
  path: string;
}

const valueOf = (strip: Strip, row: Strip["rows"][number], name: string): number => Number((row as unknown[])[(strip.columns as readonly string[]).indexOf(name)] ?? 0);

export const outAt = (strip: Strip, index: number): number => STACK.reduce((sum, cell) => sum + (strip.rows[index] ? valueOf(strip, strip.rows[index], cell) : 0), 0);

export function peakOf(strip: Strip): { count: number; at: string } | null {
  let best = -1;
  let index = -1;
  strip.rows.forEach((_, i) => {
    if (outAt(strip, i) > best) [best, index] = [outAt(strip, i), i];
  });
  return index < 0 ? null : { count: best, at: String((strip.rows[index] as unknown[])[0]) };
}

/** Stacked areas; the highest stack reaches the top. Steps, since a count holds until the next one. */
export function areasOf(strip: Strip): Area[] {
  const count = strip.rows.length;
  const top = Math.max(1, ...strip.rows.map((_, i) => outAt(strip, i)));
  const base = new Array<number>(count).fill(0);
  return STACK.map((cell) => {
    const low = [...base];
    strip.rows.forEach((row, i) => (base[i]! += valueOf(strip, row, cell)));
    const x = (i: number) => (i / Math.max(1, count - 1)).toFixed(4);
    const y = (value: number) => (1 - value / top).toFixed(4);
    const upper = base.map((value, i) => `${i ? `H${x(i)}` : `M${x(0)} ${y(value)}`}V${y(value)}`).join("");
    const lower = low.map((value, i) => ({ value, i })).reverse().map(({ value, i }) => `V${y(value)}H${x(i)}`).join("");
    return { cell, path: `${upper}${lower}Z` };
  });
}

/** The step of the strip at which a moment lies; its end, now, for none. */
export function indexOf(at: string | null, fromMs: number, steps: number): number {
  if (!at) return steps;
  const index = Math.round((Date.parse(at) - fromMs) / STEP_MS);
  return Number.isFinite(index) ? Math.min(Math.max(index, 0), steps) : steps;
}

/** The moment of a step in the address; none at the end, which is now. */
export const momentOf = (index: number, fromMs: number, steps: number): string | null => (index >= steps ? null : new Date(fromMs + index * STEP_MS).toISOString().replace(".000Z", "Z"));

/** What the map says of a machine at a moment. */
export function layerAt(atMs: number): Layer {
  const note = (machine: MachineRow & { job?: string | null }): string => {
    if (machine.ticket) return machine.ticket;
    if (machine.cell === "no_signal") return machine.state === ("unknown" as string) ? "not recorded" : "no answer";
    if (machine.worst !== "ok" && machine.worst !== "info") return VERDICT_WORD[machine.worst].toLowerCase();
    if (machine.state !== "ready") return stateWord(machine.state).toLowerCase();
    if (machine.job) return `job ${machine.job}`;
    return machine.since ? `${ago(machine.since, atMs).replace(" ago", "")}` : "";
  };
  return { ...STATE_LAYER, note };
}
