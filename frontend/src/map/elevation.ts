/** A rack's face as boxes: units, devices and their parts. Pixels of the drawing, y downwards; U counts as the rack does. */
import type { Cell, ElevationItem, ElevationPart } from "../api/shapes.ts";
import { unitsText } from "../text.ts";
import type { Box } from "./geometry.ts";
import { byLabel, shortLabel } from "./labels.ts";

/** How large a face is drawn: a unit's height, where the rails begin, how wide a full device is, and the air around. */
export interface Scale {
  unit: number;
  left: number;
  inner: number;
  right: number;
  top: number;
}

/** Beside the floor map. */
export const PANEL: Scale = { unit: 12, left: 22, inner: 144, right: 6, top: 6 };
export const UNIT = PANEL.unit;
export const widthOf = (scale: Scale): number => scale.left + scale.inner + scale.right;
export const WIDTH = widthOf(PANEL);

/** Whether U1 is the lowest unit ("up") or the highest ("down"). */
export type Numbering = "up" | "down";

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

export function layoutFace(heightU: number, items: ElevationItem[], side: Side, numbering: Numbering = "up", scale = PANEL): Face {
  const { unit, left, inner, top } = scale;
  const frame = { x: left - 2, y: top - 3, w: inner + 4, h: heightU * unit + 6 };
  const units = Array.from({ length: heightU }, (_, i) => {
    const u = numbering === "up" ? heightU - i : i + 1;
    return { u, y: top + i * unit, text: u % 2 || u === heightU ? String(u) : "" };
  });
  return {
    height: heightU * unit + 2 * top,
    frame,
    units,
    items: items.map((item) => {
      const box = placeBox(heightU, item, side, numbering, scale);
      return { item, box, units: unitsText(item.u, item.height_u), parts: placeParts(item, box, side, unit) };
    }),
  };
}

/** The span of units a thing takes, on the drawing. */
export function placeBox(
  rackU: number,
  { u, height_u, column }: { u: number; height_u: number; column: string },
  side: Side,
  numbering: Numbering,
  { unit, left, inner, top }: Scale,
): Box {
  const half = column !== "full";
  // The air between two devices; a thumbnail's unit would be all air at the size of the large pictures.
  const air = Math.min(0.8, unit / 15);
  // Left and right are named from the front; from behind they change sides.
  const onRight = (column === "right") === (side === "front");
  const above = numbering === "up" ? rackU - u - height_u + 1 : u - 1;
  return {
    x: left + (half && onRight ? inner / 2 : 0) + 1,
    y: top + above * unit + air,
    w: (half ? inner / 2 : inner) - 2,
    h: height_u * unit - 2 * air,
  };
}

/** GPUs as numbered pips in two rows below the name; ports as a row of small squares that wraps. */
function placeParts(item: ElevationItem, box: Box, side: Side, unit: number): PlacedPart[] {
  const tall = box.h > 3 * unit;
  if (side === "front") return tall ? grid(byLabel(item.parts), partArea(box, unit), item.parts.length > 4 ? 2 : 1, 3) : [];
  if (!tall) return row(item.parts, box);
  return wrap(item.parts, partArea(box, unit));
}

/** Below the name, and below the second line where there is one. */
export function partArea(box: Box, unit: number): Box {
  const header = box.h >= 5 * unit ? Math.max(30, 2 * unit) : 17;
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

/** Free whole units of a rack: those no device reaches into on either face. */
export function freeUnits(heightU: number, items: Pick<ElevationItem, "u" | "height_u">[]): number {
  const used = new Set<number>();
  for (const item of items) {
    for (let u = Math.floor(item.u); u < item.u + item.height_u; u += 1) used.add(u);
  }
  return Array.from({ length: heightU }, (_, i) => i + 1).filter((u) => !used.has(u)).length;
}

/** The colour of a device's outline: that of its cell. */
export function edgeOf(cell: Cell | null): string {
  if (cell === "failed") return "var(--cell-failed)";
  return cell ? `var(--cell-${cell.replace("_", "-")}-line)` : "var(--rack-line)";
}

/** Cut only when it cannot fit: the width of a character is about 0.56 em. */
export function fitText(text: string, width: number, size: number): string {
  const room = Math.floor(width / (size * 0.56));
  return text.length > room ? `${text.slice(0, Math.max(room - 1, 1))}…` : text;
}

/** Whether a zero-U slot is on the left, by its name; those without a side take turns. */
export function leftSlot(slot: string, i: number): boolean {
  return /left|^a\b/i.test(slot) ? true : /right|^b\b/i.test(slot) ? false : i % 2 === 0;
}
