/** Free units of a rack: where something can go. */
import type { ElevationItem } from "../api/shapes.ts";
import type { Column, Face } from "./shapes.ts";

type Mounted = Pick<ElevationItem, "kind" | "u" | "height_u" | "face" | "column">;

export interface FreeSpan {
  u: number;
  height_u: number;
  column: Column;
  /** `both`: nothing is behind it either. */
  depth: Face;
}

const HALVES = ["left", "right"] as const;
type Half = (typeof HALVES)[number];
type Side = "front" | "rear";

/** Which quarter units are taken on one face. Index: half units from 0, the lower half of U1 first. */
function taken(heightU: number, items: Mounted[], side: Side, half: Half): boolean[] {
  const units = new Array<boolean>(heightU * 2).fill(false);
  for (const item of items) {
    if (item.face !== "both" && item.face !== side) continue;
    if (item.column !== "full" && item.column !== half) continue;
    const first = Math.round((item.u - 1) * 2);
    units.fill(true, first, first + Math.round(item.height_u * 2));
  }
  return units;
}

/** The largest free spans of one face, from U1 on. Beside a half-width device the other half is a span of its own. */
export function freeSpans(heightU: number, items: Mounted[], side: Side): FreeSpan[] {
  const other = side === "front" ? "rear" : "front";
  const [left, right] = HALVES.map((half) => taken(heightU, items, side, half)) as [boolean[], boolean[]];
  const behind = HALVES.map((half) => taken(heightU, items, other, half)) as [boolean[], boolean[]];
  const columnAt = (i: number): Column | null => (!left[i] && !right[i] ? "full" : !left[i] ? "left" : !right[i] ? "right" : null);
  const depthAt = (i: number, column: Column): Face =>
    (column !== "right" && behind[0][i]) || (column !== "left" && behind[1][i]) ? side : "both";
  const spans: FreeSpan[] = [];
  for (let i = 0; i < heightU * 2; i += 1) {
    const column = columnAt(i);
    if (!column) continue;
    const depth = depthAt(i, column);
    const last = spans.at(-1);
    if (last && last.column === column && last.depth === depth && (last.u - 1 + last.height_u) * 2 === i) last.height_u += 0.5;
    else spans.push({ u: i / 2 + 1, height_u: 0.5, column, depth });
  }
  return spans;
}

/** Whether a device of that height would fit there; reserved units are taken. */
export function fits(spans: FreeSpan[], u: number, heightU: number, fullDepth: boolean): boolean {
  return spans.some(
    (span) =>
      span.column === "full" && span.u <= u && u + heightU <= span.u + span.height_u && (!fullDepth || span.depth === "both"),
  );
}
