/** A rack's face as boxes: units, devices and their parts. Pixels of the drawing, y downwards, U counted from below. */
import type { ElevationItem, ElevationPart } from "../api/types.ts";
import { unitsText } from "../text.ts";
import type { Box } from "./geometry.ts";

export const UNIT = 12;
export const WIDTH = 172;
/** Where the rails begin and how wide a full device is. */
const LEFT = 22;
const INNER = 144;
const TOP = 6;

export interface UnitMark {
  u: number;
  y: number;
  /** Only every other number is written, or they would touch. */
  text: string;
}

export interface PlacedPart {
  part: ElevationPart;
  box: Box;
  text: string;
}

export interface PlacedItem {
  item: ElevationItem;
  box: Box;
  units: string;
  parts: PlacedPart[];
}

export interface Face {
  height: number;
  frame: Box;
  units: UnitMark[];
  items: PlacedItem[];
}

export type Side = "front" | "rear";

export function layoutFace(heightU: number, items: ElevationItem[], side: Side): Face {
  const frame = { x: LEFT - 2, y: TOP - 3, w: INNER + 4, h: heightU * UNIT + 6 };
  const units = Array.from({ length: heightU }, (_, i) => {
    const u = heightU - i;
    return { u, y: unitTop(heightU, u, 1), text: u % 2 || u === heightU ? String(u) : "" };
  });
  return {
    height: heightU * UNIT + 2 * TOP,
    frame,
    units,
    items: items.map((item) => placeItem(heightU, item, side)),
  };
}

const unitTop = (rackU: number, u: number, heightU: number): number => TOP + (rackU - u - heightU + 1) * UNIT;

function placeItem(rackU: number, item: ElevationItem, side: Side): PlacedItem {
  const half = item.column !== "full";
  // Left and right are named from the front; from behind they change sides.
  const onRight = (item.column === "right") === (side === "front");
  const w = half ? INNER / 2 : INNER;
  const box = {
    x: LEFT + (half && onRight ? INNER / 2 : 0) + 1,
    y: unitTop(rackU, item.u, item.height_u) + 0.8,
    w: w - 2,
    h: item.height_u * UNIT - 1.6,
  };
  return { item, box, units: unitsText(item.u, item.height_u), parts: placeParts(item, box, side) };
}

/** GPUs as numbered pips in two rows below the name; ports as a row of small squares that wraps. */
function placeParts(item: ElevationItem, box: Box, side: Side): PlacedPart[] {
  const tall = box.h > 3 * UNIT;
  if (side === "front") return tall ? grid(byLabel(item.parts), partArea(box), item.parts.length > 4 ? 2 : 1, 3) : [];
  if (!tall) return row(item.parts, box);
  return wrap(item.parts, partArea(box));
}

function partArea(box: Box): Box {
  const header = box.h >= 5 * UNIT ? 30 : 17;
  return { x: box.x + 7, y: box.y + header, w: box.w - 14, h: box.h - header - 5 };
}

function grid(parts: ElevationPart[], area: Box, rows: number, gap: number): PlacedPart[] {
  const columns = Math.ceil(parts.length / rows);
  const w = (area.w - gap * (columns - 1)) / columns;
  const h = Math.min((area.h - gap * (rows - 1)) / rows, 24);
  return parts.map((part, i) => ({
    part,
    text: shortLabel(part.label),
    box: { x: area.x + (i % columns) * (w + gap), y: area.y + Math.floor(i / columns) * (h + gap), w, h },
  }));
}

/** Up to ten in a line, as large as the place allows. */
function wrap(parts: ElevationPart[], area: Box): PlacedPart[] {
  if (!parts.length) return [];
  const rows = Math.ceil(parts.length / 10);
  const columns = Math.ceil(parts.length / rows);
  const step = Math.min(area.w / columns, 17);
  const h = Math.min(13, area.h / rows - 3);
  return parts.map((part, i) => ({
    part,
    text: "",
    box: { x: area.x + (i % columns) * step, y: area.y + Math.floor(i / columns) * (h + 3), w: step - 3, h },
  }));
}

/** The ports of a flat device share its one line; very many become thin. */
function row(parts: ElevationPart[], box: Box): PlacedPart[] {
  if (!parts.length) return [];
  const step = Math.min(6.1, (box.w - 8) / parts.length);
  const h = Math.min(4.8, box.h - 4);
  return parts.map((part, i) => ({
    part,
    text: "",
    box: { x: box.x + 4 + i * step, y: box.y + (box.h - h) / 2, w: step * 0.74, h },
  }));
}

/** What is printed on the chassis, without the word all its neighbours share: `SXM 7` is 7, `Slot 31 port 1` is 31·1. */
export function shortLabel(label: string): string {
  const numbers = label.match(/\d+/g);
  if (!numbers || /^[A-Z]\d+$/.test(label)) return label;
  return numbers.join("·");
}

export function byLabel<T extends { label: string }>(parts: T[]): T[] {
  return [...parts].sort((a, b) => a.label.localeCompare(b.label, "en", { numeric: true }));
}

/** Free whole units of a rack: those no device reaches into on either face. */
export function freeUnits(heightU: number, items: ElevationItem[]): number {
  const used = new Set<number>();
  for (const item of items) {
    for (let u = Math.floor(item.u); u < item.u + item.height_u; u += 1) used.add(u);
  }
  return Array.from({ length: heightU }, (_, i) => i + 1).filter((u) => !used.has(u)).length;
}
