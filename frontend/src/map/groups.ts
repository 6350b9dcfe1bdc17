/** A layer that colours machines by the group they are of: a job, a version, a step of a scale. Pure. */
import type { Cell, MachineRow } from "../api/shapes.ts";
import type { Layer } from "./layer.ts";
import type { Rack } from "./model.ts";

/** So many groups have a colour of their own; the others share one. */
export const COLOURS = 8;
/** How the address calls those that share a colour. */
export const OTHERS = "others";

/** A group as its chip shows it. */
export interface Group {
  /** What the address calls it. */
  key: string;
  word: string;
  says: string;
  /** Its colour, from 1; 0: one of the others. */
  number: number;
  machines: number;
}

interface Grouping {
  /** The colour of a machine's group; null: of none. */
  numberOf(machine: MachineRow): number | null;
  /** Which chip stands for a machine. */
  chipOf(machine: MachineRow): string;
  /** A machine's group in words. */
  textOf(machine: MachineRow): string;
  /** The look of a machine of no group, and its word. */
  cellOf(machine: MachineRow): Cell;
  wordOf(cell: Cell): string;
  scale?: boolean;
}

export function groupLayer({ numberOf, chipOf, textOf, cellOf, wordOf, scale }: Grouping, chosen: ReadonlySet<string>): Layer {
  return {
    cellOf,
    wordOf,
    note: textOf,
    badge: () => "",
    alarm: "failed",
    scale: scale ?? false,
    groupOf: numberOf,
    dims: (machine) => chosen.size > 0 && !chosen.has(chipOf(machine)),
    counts: (rack: Rack) => {
      const found = new Map<string, number>();
      for (const machine of rack.machines) found.set(textOf(machine), (found.get(textOf(machine)) ?? 0) + 1);
      return [...found].map(([text, count]) => `${count} ${text}`).join(", ");
    },
  };
}

/** Groups with their machines, the largest first; from the ninth on they share a colour. */
export function largestFirst(counts: ReadonlyMap<string, number>): { key: string; machines: number; number: number }[] {
  return [...counts]
    .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0], "en", { numeric: true }))
    .map(([key, machines], i) => ({ key, machines, number: i < COLOURS ? i + 1 : 0 }));
}
