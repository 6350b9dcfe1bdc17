/** The way a person walks from one rack to another, in the coordinates of the floor's drawing. */
import type { FloorModel, Rack } from "../map/model.ts";

export interface Spot {
  rack: Rack;
  /** The face one stands before. */
  face: "front" | "rear";
}

interface Point {
  x: number;
  y: number;
}

/** How far before a rack one walks: the middle of an aisle as it is drawn. */
const AISLE_MM = 310;
/** Aisles whose middles are no further apart are one. */
const SAME_AISLE_MM = 330;
const BESIDE_ROW_MM = 420;

const middle = (rack: Rack): Point => ({ x: rack.x_mm + rack.width_mm / 2, y: rack.y_mm + rack.depth_mm / 2 });

/** In the aisle, before the face. */
export function before({ rack, face }: Spot): Point {
  const upwards = (rack.facing === "up") === (face === "front");
  return { x: middle(rack).x, y: upwards ? rack.y_mm - AISLE_MM : rack.y_mm + rack.depth_mm + AISLE_MM };
}

/** Along the aisle, round the end of the rows in between, along the other aisle. */
export function wayBetween(model: FloorModel, from: Spot, to: Spot): Point[] {
  const [a, b] = [before(from), before(to)];
  if (Math.abs(a.y - b.y) <= SAME_AISLE_MM) return [middle(from.rack), a, { x: b.x, y: a.y }, middle(to.rack)];
  const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y)];
  const between = [...model.racks.values()].filter((rack) => rack.y_mm + rack.depth_mm > top && rack.y_mm < bottom);
  const ends = [
    Math.min(...between.map((rack) => rack.x_mm)) - BESIDE_ROW_MM,
    Math.max(...between.map((rack) => rack.x_mm + rack.width_mm)) + BESIDE_ROW_MM,
  ];
  const detour = (x: number) => Math.abs(a.x - x) + Math.abs(b.x - x);
  const x = detour(ends[0]!) <= detour(ends[1]!) ? ends[0]! : ends[1]!;
  return [middle(from.rack), a, { x, y: a.y }, { x, y: b.y }, b, middle(to.rack)];
}

/** In words: `same rack`, `same aisle, 5 racks along`, `round the end of the row`. */
export function wayText(model: FloorModel, from: Spot, to: Spot): string {
  if (from.rack.id === to.rack.id) return from.face === to.face ? "In the same rack, on the same face" : "In the same rack, on the other face";
  const [a, b] = [before(from), before(to)];
  if (Math.abs(a.y - b.y) > SAME_AISLE_MM) {
    const turn = wayBetween(model, from, to)[2]!;
    return `In another aisle: round the ${turn.x < Math.min(a.x, b.x) ? "left" : "right"} end of the row`;
  }
  const row = [...model.racks.values()].filter((rack) => rack.row === to.rack.row);
  const passed = row.filter((rack) => (middle(rack).x - a.x) * (middle(rack).x - b.x) < 0).length + 1;
  return `In the same aisle, ${passed === 1 ? "one rack" : `${passed} racks`} to the ${b.x < a.x ? "left" : "right"}${from.rack.row === to.rack.row ? "" : ", across"}`;
}
