/** What the floor map tells about the same racks and machines: their state, or for instance what a dead feed does to them. */
import type { Cell, MachineRow } from "../api/shapes.ts";
import { CELL_WORD } from "../text.ts";
import { failedIn, type Rack } from "./model.ts";
import { machineNote } from "./words.ts";

export interface Layer {
  /** A machine's look: the shapes of states serve every layer, each layer has its own words for them. */
  cellOf(machine: MachineRow): Cell;
  wordOf(cell: Cell): string;
  note(machine: MachineRow, nowMs: number): string;
  /** What stands on the rack's corner; such a rack has an edge of alarm. */
  badge(rack: Rack): string;
  /** The look whose filter also hides the badges. */
  alarm: Cell;
}

export const STATE_LAYER: Layer = {
  cellOf: (machine) => machine.cell,
  wordOf: (cell) => CELL_WORD[cell],
  note: machineNote,
  badge: (rack) => String(failedIn(rack) || ""),
  alarm: "failed",
};
