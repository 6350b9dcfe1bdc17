/** Temperatures of ports as columns of racks over their heights. Pure. */
import type { Heat, HeatRow } from "./shapes.ts";

export interface HeatColumn {
  rack: number;
  name: string;
  cells: HeatRow[];
  gaps: Heat["gaps"];
}

/** Steps of warmth and from where they count; the words stand in the legend and in what a screen reader says. */
export const WARMTH = [
  { from: -Infinity, word: "below 55 °C", step: 0 },
  { from: 55, word: "55 to 65 °C", step: 1 },
  { from: 65, word: "65 to 70 °C", step: 2 },
  { from: 70, word: "70 °C and more", step: 3 },
] as const;

export function warmth(celsius: number | null): (typeof WARMTH)[number] | null {
  if (celsius === null) return null;
  return WARMTH.findLast((each) => celsius >= each.from) ?? WARMTH[0];
}

/** Racks in the order of their names, each with its switches from the top down and its open gaps. */
export function columnsOf(heat: Heat): HeatColumn[] {
  const columns = new Map<number, HeatColumn>();
  const column = (rack: number, name: string): HeatColumn => {
    const known = columns.get(rack) ?? { rack, name, cells: [], gaps: [] };
    columns.set(rack, known);
    return known;
  };
  for (const row of heat.rows) column(row.rack, row.rack_name).cells.push(row);
  for (const gap of heat.gaps) columns.get(gap.rack)?.gaps.push(gap);
  return [...columns.values()]
    .map((each) => ({ ...each, cells: each.cells.sort((a, b) => b.u - a.u) }))
    .sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** An open gap at the side of a switch, or within this many units of it, lets hot air come back to its intake. */
const NEAR_U = 3;
export function gapNear(column: HeatColumn, u: number): boolean {
  return column.gaps.some((gap) => u >= gap.u - NEAR_U && u <= gap.u + gap.height_u - 1 + NEAR_U);
}

export function heatWords(row: HeatRow, gap: boolean): string {
  const warm = row.max_c === null ? "not measured" : `warmest port ${row.max_c} °C, mean ${row.mean_c ?? "–"} °C of ${row.port_count}`;
  return `${row.device}, rack ${row.rack_name} U${row.u}: ${warm}${gap ? ", open gap near it" : ""}`;
}
