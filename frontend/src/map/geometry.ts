/** Where things are on the floor, in millimetres: racks, the cells on them, rows, and the neighbour in a direction. */
import type { FloorModel, Rack } from "./model.ts";

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Shares of a rack's tile: its name on top, then the cells with a little air around. */
const HEADER = 0.145;
const PADDING = 0.045;
const GAP = 0.022;
/** A rack with fewer machines keeps cells of this size rather than stretching one over the tile. */
const LEAST_CELLS = 4;
/** Room around the racks for the row letters, the badges and the wall: a share of the floor's longer side, in limits. */
const MARGIN = { share: 0.047, least: 200, most: 620 };

/** Racks of a model never move; what is asked again with every frame is kept. */
const tileOf = new WeakMap<Rack, Box>();
const cellsOf = new WeakMap<Rack["machines"], Box[]>();
const boundsOf = new WeakMap<FloorModel, Box>();
const labelsOf = new WeakMap<FloorModel, RowLabel[]>();

function kept<K extends object, T>(cache: WeakMap<K, T>, of: K, make: () => T): T {
  const value = cache.get(of) ?? make();
  cache.set(of, value);
  return value;
}

export const rackBox = (rack: Rack): Box => kept(tileOf, rack, () => ({ x: rack.x_mm, y: rack.y_mm, w: rack.width_mm, h: rack.depth_mm }));

/** The header strip of a rack's tile, where its name stands. */
export function headerHeight(rack: Rack): number {
  return rack.depth_mm * HEADER;
}

/** The cell of the `index`-th machine from the top. */
export const cellBox = (rack: Rack, index: number): Box => kept(cellsOf, rack.machines, () => rack.machines.map((_, at) => measureCell(rack, at)))[index]!;

function measureCell(rack: Rack, index: number): Box {
  const gap = rack.depth_mm * GAP;
  const side = rack.width_mm * PADDING * 1.6;
  const top = headerHeight(rack);
  const count = Math.max(rack.machines.length, LEAST_CELLS);
  const height = (rack.depth_mm * (1 - PADDING) - top - gap * (count - 1)) / count;
  return { x: rack.x_mm + side, y: rack.y_mm + top + index * (height + gap), w: rack.width_mm - 2 * side, h: height };
}

export function contains(box: Box, x: number, y: number): boolean {
  return x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
}

export function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

export function union(boxes: Iterable<Box>): Box | null {
  let left = Infinity;
  let top = Infinity;
  let right = -Infinity;
  let bottom = -Infinity;
  for (const box of boxes) {
    left = Math.min(left, box.x);
    top = Math.min(top, box.y);
    right = Math.max(right, box.x + box.w);
    bottom = Math.max(bottom, box.y + box.h);
  }
  return left < right ? { x: left, y: top, w: right - left, h: bottom - top } : null;
}

export const grow = (box: Box, by: number): Box => ({ x: box.x - by, y: box.y - by, w: box.w + 2 * by, h: box.h + 2 * by });

/** What "Fit" shows: all racks and aisles with a margin; an empty room shows its walls. */
export const floorBounds = (model: FloorModel): Box => kept(boundsOf, model, () => measureBounds(model));

/** Each row of racks with the box around it. */
export const rowLabels = (model: FloorModel): RowLabel[] => kept(labelsOf, model, () => measureRows(model));

function measureBounds(model: FloorModel): Box {
  const boxes: Box[] = [...model.racks.values()].map(rackBox);
  for (const aisle of model.aisles) boxes.push({ x: aisle.x_mm, y: aisle.y_mm, w: aisle.width_mm, h: aisle.depth_mm });
  const all = union(boxes);
  if (all) return grow(all, Math.min(Math.max(Math.max(all.w, all.h) * MARGIN.share, MARGIN.least), MARGIN.most));
  return { x: model.room.x_mm, y: model.room.y_mm, w: model.room.width_mm || 1, h: model.room.depth_mm || 1 };
}

export interface RowLabel {
  id: number;
  name: string;
  box: Box;
}

function measureRows(model: FloorModel): RowLabel[] {
  const rows = new Map<number, { name: string; boxes: Box[] }>();
  for (const rack of model.racks.values()) {
    if (rack.row === null || !rack.rowName) continue;
    const row = rows.get(rack.row) ?? { name: rack.rowName, boxes: [] };
    row.boxes.push(rackBox(rack));
    rows.set(rack.row, row);
  }
  return [...rows].map(([id, { name, boxes }]) => ({ id, name, box: union(boxes) ?? { x: 0, y: 0, w: 0, h: 0 } }));
}

/** The row whose letter is under a point of the window: left of its first rack, or at the window's edge. */
export function rowLabelAt(model: FloorModel, view: { scale: number; tx: number; ty: number }, x: number, y: number): RowLabel | null {
  const reach = 34;
  for (const row of rowLabels(model)) {
    const left = row.box.x * view.scale + view.tx;
    const top = row.box.y * view.scale + view.ty;
    const from = Math.max(left - reach, 0);
    if (x >= from && x <= Math.max(left, reach) && y >= top && y <= top + row.box.h * view.scale) return row;
  }
  return null;
}

export type Direction = "left" | "right" | "up" | "down";

/** The nearest rack in a direction; straight ahead is preferred to nearer but aside. */
export function neighbour(racks: Iterable<Rack>, from: Rack, direction: Direction): Rack | null {
  const sideways = direction === "left" || direction === "right";
  const sign = direction === "left" || direction === "up" ? -1 : 1;
  let best: Rack | null = null;
  let bestScore = Infinity;
  for (const rack of racks) {
    const dx = rack.x_mm + rack.width_mm / 2 - (from.x_mm + from.width_mm / 2);
    const dy = rack.y_mm + rack.depth_mm / 2 - (from.y_mm + from.depth_mm / 2);
    const ahead = sign * (sideways ? dx : dy);
    const aside = Math.abs(sideways ? dy : dx);
    // Half a rack ahead at least; sideways movement stays in the row.
    if (ahead < from.width_mm / 2 || (sideways && aside > from.depth_mm / 2)) continue;
    const score = ahead + 3 * aside;
    if (score < bestScore) [best, bestScore] = [rack, score];
  }
  return best;
}

export interface Hit {
  rack: Rack;
  /** Index of the machine under the point, or null between cells. */
  machine: number | null;
}

/** What lies under a point of the floor. */
export function hit(racks: Iterable<Rack>, x: number, y: number): Hit | null {
  for (const rack of racks) {
    if (!contains(rackBox(rack), x, y)) continue;
    const index = rack.machines.findIndex((_, i) => contains(cellBox(rack, i), x, y));
    return { rack, machine: index < 0 ? null : index };
  }
  return null;
}

/** The box between two corners, whichever they are. */
export const between = (a: { x: number; y: number }, b: { x: number; y: number }): Box => ({
  x: Math.min(a.x, b.x),
  y: Math.min(a.y, b.y),
  w: Math.abs(a.x - b.x),
  h: Math.abs(a.y - b.y),
});

/** Ids of the machines whose cells a box on the floor touches. */
export function machinesIn(racks: Iterable<Rack>, box: Box): number[] {
  const found: number[] = [];
  for (const rack of racks) {
    if (!overlaps(rackBox(rack), box)) continue;
    rack.machines.forEach((machine, index) => {
      if (overlaps(cellBox(rack, index), box)) found.push(machine.id);
    });
  }
  return found;
}
