/** Racks as thumbnails: grouped by row, each described in a sentence, so that the picture is not the only way to read it. */
import type { Cell } from "../api/shapes.ts";
import type { Scale } from "../map/elevation.ts";
import { CELL_WORD, plural } from "../text.ts";
import type { RackThumbnail, RowRecord, ThumbnailItem } from "./shapes.ts";

/** Small enough that a room of 130 racks is on one screen. */
export const WALL: Scale = { unit: 2, left: 2, inner: 40, right: 2, top: 2 };
/** Large enough that marks of states can be told apart and names be read. */
export const ROW: Scale = { unit: 6, left: 3, inner: 100, right: 3, top: 3 };

export interface RowOfRacks {
  id: number | null;
  name: string;
  racks: RackThumbnail[];
}

const collator = new Intl.Collator("en", { numeric: true });
const byName = (a: RackThumbnail, b: RackThumbnail): number => collator.compare(a.rack.name, b.rack.name);

/** In the order of the rows; racks without a row come last. Names of racks count like numbers: A2 before A10. */
export function byRow(racks: RackThumbnail[], rows: RowRecord[]): RowOfRacks[] {
  const groups: RowOfRacks[] = [...rows]
    .sort((a, b) => a.position - b.position)
    .map((row) => ({ id: row.id, name: row.name, racks: racks.filter(({ rack }) => rack.row_id === row.id).sort(byName) }))
    .filter((group) => group.racks.length);
  const placed = new Set(groups.flatMap((group) => group.racks));
  const rest = racks.filter((rack) => !placed.has(rack)).sort(byName);
  return rest.length ? [...groups, { id: null, name: "", racks: rest }] : groups;
}

const LOUD: Cell[] = ["failed", "suspect", "no_signal", "repair", "drained", "provisioning", "off"];

/** `Rack A17: 4 machines, 1 failed; 22U free`. */
export function describe({ rack, front, rear }: RackThumbnail, cellOf: (item: ThumbnailItem) => Cell | null): string {
  const machines = machinesOf({ front, rear });
  const counts = LOUD.map((cell) => ({ cell, count: machines.filter((item) => cellOf(item) === cell).length })).filter(({ count }) => count);
  const states = counts.map(({ cell, count }) => `, ${count} ${CELL_WORD[cell].toLowerCase()}`).join("");
  return `Rack ${rack.name}: ${machines.length ? plural(machines.length, "machine") + states : "no machines"}; ${rack.free_u}U free`;
}

export function machinesOf({ front, rear }: Pick<RackThumbnail, "front" | "rear">): ThumbnailItem[] {
  return [...new Map([...front, ...rear].filter((item) => item.machine !== null).map((item) => [item.machine, item])).values()];
}
