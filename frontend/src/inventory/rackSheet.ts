/** The rack page's picture: a face large enough to read, with its ports, and the cables of what one points at. */
import type { ElevationItem, ElevationPort } from "../api/shapes.ts";
import type { Box } from "../map/geometry.ts";
import { type Face, layoutFace, type Numbering, partArea, type PlacedItem, placeBox, type Scale, type Side } from "../map/elevation.ts";
import { type FreeSpan, freeSpans } from "./free.ts";

/** Room on both sides for the numbers and for what hangs in the zero-U slots. */
export const SHEET: Scale = { unit: 17, left: 46, inner: 300, right: 24, top: 8 };

export interface PlacedPort {
  port: ElevationPort;
  item: ElevationItem;
  box: Box;
}

export interface PlacedFree {
  span: FreeSpan;
  box: Box;
}

export interface Sheet extends Face {
  ports: PlacedPort[];
  free: PlacedFree[];
}

export function layoutSheet(heightU: number, items: ElevationItem[], all: ElevationItem[], side: Side, numbering: Numbering): Sheet {
  const face = layoutFace(heightU, items, side, numbering, SHEET);
  return {
    ...face,
    ports: face.items.flatMap((placed) => placePorts(placed, side)),
    free: freeSpans(heightU, all, side).map((span) => ({ span, box: placeBox(heightU, span, side, numbering, SHEET) })),
  };
}

const PORT_GAP = 1.6;
const PORT_LARGEST = 15;

/** A tall device has its ports below the name; a flat one in the right half of its line, the name in the left. */
function placePorts({ item, box }: PlacedItem, side: Side): PlacedPort[] {
  const ports = (item.ports ?? []).filter((port) => port.face === side);
  if (!ports.length) return [];
  const tall = box.h > 3 * SHEET.unit;
  // In front of a machine are its GPUs; its few ports there stand in the last line.
  const area = tall ? partArea(box, SHEET.unit) : { x: box.x + box.w * 0.44, y: box.y + 2, w: box.w * 0.56 - 5, h: box.h - 4 };
  if (tall && side === "front" && item.parts.length) return [];
  const rows = Math.max(1, Math.min(ports.length, bestRows(ports.length, area)));
  const columns = Math.ceil(ports.length / rows);
  const step = Math.min(area.w / columns, PORT_LARGEST + PORT_GAP);
  const height = Math.min(area.h / rows, PORT_LARGEST + PORT_GAP);
  return ports.map((port, i) => ({
    port,
    item,
    box: {
      x: area.x + (i % columns) * step,
      y: area.y + Math.floor(i / columns) * height,
      w: step - PORT_GAP,
      h: height - PORT_GAP,
    },
  }));
}

/** The number of rows at which the ports come out largest. */
function bestRows(count: number, area: Box): number {
  let best = 1;
  let bestSize = 0;
  for (let rows = 1; rows <= 8; rows += 1) {
    const size = Math.min(area.w / Math.ceil(count / rows), area.h / rows, PORT_LARGEST);
    if (size > bestSize + 0.01) [best, bestSize] = [rows, size];
  }
  return best;
}

export const centre = (box: Box) => ({ x: box.x + box.w / 2, y: box.y + box.h / 2 });

export interface Wire {
  cable: number;
  /** From the port to its far end in the picture, or to the rack's edge. */
  path: string;
  from: Box;
  to: Box | null;
}

/** What hangs beside the units, with the cables plugged into it. */
export interface Strip {
  box: Box;
  cables: ReadonlySet<number>;
}

/** Cables to draw on a face: to the far port or zero-U device where it shows that, otherwise out over the rack's edge.
 *
 * `own` are the ports of what is chosen. An end that is not one of them leads back to it, on the other face: no line.
 */
export function wires(sheet: Sheet, cables: ReadonlySet<number>, own: ReadonlySet<number>, strips: Strip[] = []): Wire[] {
  const edge = SHEET.left + SHEET.inner + 5;
  const found: Wire[] = [];
  for (const cable of cables) {
    const [near, far] = sheet.ports.filter(({ port }) => port.cable?.id === cable).sort((a, b) => Number(own.has(b.port.id)) - Number(own.has(a.port.id)));
    const strip = strips.find((each) => each.cables.has(cable));
    if (!near || (!far && !strip && !own.has(near.port.id))) continue;
    const a = centre(near.box);
    const lane = edge + (found.length % 6) * 2.4;
    if (far) {
      const b = centre(far.box);
      const path = `M${a.x} ${a.y}V${bend(near.box, b.y)}H${lane}V${bend(far.box, a.y)}H${b.x}V${b.y}`;
      found.push({ cable, path, from: near.box, to: far.box });
    } else if (strip) {
      found.push({ cable, path: `M${a.x} ${a.y}V${near.box.y - 1.5}H${centre(strip.box).x}`, from: near.box, to: strip.box });
    } else {
      found.push({ cable, path: `M${a.x} ${a.y}V${near.box.y - 1.5}H${lane + 14}`, from: near.box, to: null });
    }
  }
  return found;
}

/** A cable leaves a port over its edge that looks to where it goes. */
function bend(box: Box, towards: number): number {
  return towards < box.y ? box.y - 1.5 : box.y + box.h + 1.5;
}

/** Pills beside each other's heights, pushed down where they would overlap, kept inside the picture. */
export function stack(wanted: number[], height: number, limit: number): number[] {
  const order = wanted.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y || a.i - b.i);
  const placed = new Array<number>(wanted.length).fill(0);
  let next = -Infinity;
  for (const { y, i } of order) {
    placed[i] = Math.max(y, next);
    next = placed[i] + height;
  }
  let last = limit;
  for (const { i } of [...order].reverse()) {
    placed[i] = Math.min(placed[i]!, last - height);
    last = placed[i];
  }
  return placed;
}

export interface Stop {
  key: string;
  box: Box;
}

/** The next thing on a face in a direction; up and down prefer what stands in the same column. */
export function nextStop(stops: Stop[], from: Stop, direction: "up" | "down" | "left" | "right"): Stop | null {
  const sideways = direction === "left" || direction === "right";
  const sign = direction === "left" || direction === "up" ? -1 : 1;
  const at = centre(from.box);
  let best: Stop | null = null;
  let bestScore = Infinity;
  for (const stop of stops) {
    const to = centre(stop.box);
    const ahead = sign * (sideways ? to.x - at.x : to.y - at.y);
    const aside = Math.abs(sideways ? to.y - at.y : to.x - at.x);
    if (ahead < 1 || (sideways && aside > Math.max(from.box.h, stop.box.h) / 2)) continue;
    const score = ahead + aside * 0.1;
    if (score < bestScore) [best, bestScore] = [stop, score];
  }
  return best;
}
