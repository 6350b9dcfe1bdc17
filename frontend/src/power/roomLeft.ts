/** The racks of an answer about room left as rows: those with the most room first. Pure. */
import * as words from "../api/generated/words.ts";
import { wordsOf } from "../text.ts";
import type { RackRoom, RoomLeft } from "./shapes.ts";
import { kw } from "./words.ts";

export const BOUND = wordsOf(words.RoomBound);

export interface RoomRow {
  id: number;
  name: string;
  /** By itself; a question mark where nobody knows. */
  count: string;
  /** `fits`, or how many of them fit while the others take theirs. */
  fit: string;
  bound: RackRoom["limited_by"];
  word: string;
  limit: string;
  /** A triangle where none fits, a question mark where nobody knows. */
  sign: string;
  free: string;
}

/** Known ones first, by how many fit, then by what is free. */
function order(one: RackRoom, other: RackRoom): number {
  const rank = (rack: RackRoom) => rack.alone ?? -1;
  return rank(other) - rank(one) || (other.free_w ?? -1) - (one.free_w ?? -1) || one.name.localeCompare(other.name, "en", { numeric: true });
}

export function roomRows(answer: RoomLeft): RoomRow[] {
  return [...answer.racks].sort(order).map((rack) => {
    const { alone, fits } = rack;
    return {
      id: rack.id,
      name: rack.name,
      count: alone === null ? "?" : String(alone),
      fit: alone === null ? "room not known" : alone === fits ? (alone === 1 ? "fits" : "fit") : `by itself, ${fits} with all`,
      bound: rack.limited_by,
      word: rack.limited_by === "units" ? "" : `${BOUND[rack.limited_by]}:`,
      limit: rack.redundant || alone === null ? rack.limit : `${rack.limit}; on one side only`,
      sign: alone === null ? "?" : alone ? "" : "▲",
      free: rack.free_w === null ? "? kW free" : `${kw(rack.free_w)} kW free`,
    };
  });
}
