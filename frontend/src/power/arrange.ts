/** Racks of a room in rows and columns, with the aisles between the rows; and the way of the arrow keys over them. Pure. */
import type { FloorRack } from "./shapes.ts";

/** Where a rack stands in its room, if that is in the inventory. */
export interface Place {
  x_mm: number;
  y_mm: number;
  width_mm: number;
}

export interface Aisle {
  kind: "cold" | "hot";
  name: string;
  y_mm: number;
  depth_mm: number;
}

export interface Placed {
  rack: FloorRack;
  column: number;
}

export interface DrawnRow {
  name: string;
  racks: Placed[];
  /** Between this row and the next one; null where none is in the inventory. */
  aisle: Aisle | null;
}

export interface Arrangement {
  rows: DrawnRow[];
  columns: number;
  /** Above each column, where all its racks end in the same number. */
  heads: string[];
}

const collator = new Intl.Collator("en", { numeric: true });
const NOWHERE = "no row";

/** Left edges that are less than half a rack apart are one column. */
function columnsOf(places: Place[]): (x: number) => number {
  const near = Math.min(...places.map((place) => place.width_mm), 1_000) / 2;
  const edges: number[] = [];
  for (const x of places.map((place) => place.x_mm).sort((a, b) => a - b)) if (!edges.length || x - edges.at(-1)! > near) edges.push(x);
  return (x) => Math.max(0, edges.findLastIndex((edge) => edge <= x + near / 10));
}

export function arrange(racks: readonly FloorRack[], places: ReadonlyMap<number, Place>, aisles: readonly Aisle[]): Arrangement {
  const byRow = new Map<string, FloorRack[]>();
  for (const rack of racks) byRow.set(rack.row ?? NOWHERE, [...(byRow.get(rack.row ?? NOWHERE) ?? []), rack]);
  const drawn = racks.every((rack) => places.has(rack.id));
  const columnAt = drawn && racks.length ? columnsOf(racks.map((rack) => places.get(rack.id)!)) : null;
  const depth = (row: FloorRack[]) => Math.min(...row.map((rack) => places.get(rack.id)?.y_mm ?? Infinity));
  const named = [...byRow].sort(([a, x], [b, y]) => Number(a === NOWHERE) - Number(b === NOWHERE) || (drawn ? depth(x) - depth(y) : 0) || collator.compare(a, b));
  const rows = named.map(([name, inRow], i): DrawnRow => {
    const sorted = [...inRow].sort((a, b) => (drawn ? places.get(a.id)!.x_mm - places.get(b.id)!.x_mm : 0) || collator.compare(a.name, b.name));
    let last = -1;
    const placed = sorted.map((rack, at) => {
      // Two racks never share a square, whatever the inventory says.
      last = Math.max(columnAt ? columnAt(places.get(rack.id)!.x_mm) : at, last + 1);
      return { rack, column: last };
    });
    const next = named[i + 1]?.[1];
    const aisle = (drawn && next && aisles.find((each) => each.y_mm + each.depth_mm / 2 > depth(inRow) && each.y_mm + each.depth_mm / 2 < depth(next))) || null;
    return { name, racks: placed, aisle };
  });
  const columns = Math.max(0, ...rows.flatMap((row) => row.racks.map(({ column }) => column + 1)));
  return { rows, columns, heads: Array.from({ length: columns }, (_, column) => headOf(rows, column)) };
}

function headOf(rows: DrawnRow[], column: number): string {
  const numbers = new Set(rows.flatMap((row) => row.racks.filter((each) => each.column === column).map((each) => /(\d+)$/.exec(each.rack.name)?.[1] ?? "")));
  return numbers.size === 1 ? [...numbers][0]! : "";
}

/** The rack that an arrow key leads to; null for another key. At an edge one stays. */
export function moved({ rows }: Arrangement, from: number, key: string): number | null {
  const way = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[key];
  const row = rows.findIndex((each) => each.racks.some(({ rack }) => rack.id === from));
  if (row < 0) return null;
  const racks = rows[row]!.racks;
  if (key === "Home") return racks[0]!.rack.id;
  if (key === "End") return racks.at(-1)!.rack.id;
  if (!way) return null;
  const at = racks.findIndex(({ rack }) => rack.id === from);
  if (way[1]) return (racks[at + way[1]] ?? racks[at])!.rack.id;
  const beside = rows[row + way[0]!]?.racks ?? racks;
  const { column } = racks[at]!;
  return beside.reduce((best, each) => (Math.abs(each.column - column) < Math.abs(best.column - column) ? each : best)).rack.id;
}
