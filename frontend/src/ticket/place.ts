/** The place of a repair in three pictures: the rack in its row, the machine in its rack, the slot on its board. */
import type { TicketPlace } from "../api/shapes.ts";
import type { Box } from "../map/geometry.ts";
import { byLabel, shortLabel } from "../map/labels.ts";

export interface RowPicture {
  racks: { name: string; box: Box; target: boolean }[];
  target: Box | null;
  index: number;
  first: string;
  last: string;
}

const ROW_WIDTH = 190;

export function rowPicture(place: TicketPlace): RowPicture | null {
  const racks = place.walk?.row_racks ?? [];
  if (!racks.length) return null;
  const step = ROW_WIDTH / racks.length;
  const width = Math.min(step * 0.84, 22);
  const placed = racks.map((rack, i) => ({
    name: rack.name,
    target: rack.id === place.rack_id,
    box: { x: i * step, y: 16, w: width, h: 26 },
  }));
  const index = placed.findIndex((rack) => rack.target);
  return {
    racks: placed,
    index,
    target: placed[index]?.box ?? null,
    first: racks[0]?.name ?? "",
    last: racks.at(-1)?.name ?? "",
  };
}

/** `17th of 22 racks in row A`. */
export function rowText(place: TicketPlace, picture: RowPicture): string {
  const count = picture.racks.length;
  const where = place.row ? ` in row ${place.row}` : "";
  return picture.index < 0 ? "" : `${ordinal(picture.index + 1)} of ${count} racks${where}`;
}

export function ordinal(n: number): string {
  const tens = n % 100;
  if (tens >= 11 && tens <= 13) return `${n}th`;
  return `${n}${["th", "st", "nd", "rd"][n % 10] ?? "th"}`;
}

export interface UnitPicture {
  others: { name: string; box: Box }[];
  target: Box;
}

export function unitPicture(place: TicketPlace, area: Box): UnitPicture | null {
  const unit = place.unit;
  if (!unit?.height_u) return null;
  const px = area.h / unit.height_u;
  const box = (u: number, heightU: number): Box => ({
    x: area.x + 3,
    y: area.y + area.h - (u - 1 + heightU) * px + 0.6,
    w: area.w - 6,
    h: Math.max(heightU * px - 1.2, 1.6),
  });
  return {
    others: unit.neighbours.map((other) => ({ name: other.name, box: box(other.u, other.height_u) })),
    target: box(unit.u, unit.machine_height_u),
  };
}

export interface SlotPicture {
  slots: { name: string; text: string; box: Box; target: boolean }[];
}

/** Slots of the target's kind in the order of their printed labels. */
export function slotPicture(place: TicketPlace, area: Box): SlotPicture | null {
  const kind = place.slots.find((slot) => slot.name === place.slot)?.kind;
  const slots = byLabel(place.slots.filter((slot) => kind === undefined || slot.kind === kind));
  if (!slots.length || !slots.some((slot) => slot.name === place.slot)) return null;
  const columns = slots.length <= 10 ? 2 : slots.length <= 24 ? 3 : 4;
  const rows = Math.ceil(slots.length / columns);
  const gap = 2.5;
  const w = (area.w - 10 - gap * (columns - 1)) / columns;
  const h = Math.min((area.h - 10 - gap * (rows - 1)) / rows, 32);
  return {
    slots: slots.map((slot, i) => ({
      name: slot.name,
      text: shortLabel(slot.label || slot.name),
      target: slot.name === place.slot,
      box: { x: area.x + 5 + (i % columns) * (w + gap), y: area.y + 5 + Math.floor(i / columns) * (h + gap), w, h },
    })),
  };
}
