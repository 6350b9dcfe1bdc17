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
  /** Which of the coloured groups a machine is of: 1 to 8, 0 for the others of them, null for none, which shows its cell. */
  groupOf?(machine: MachineRow): number | null;
  /** Whether the groups are steps of one scale, 1 to 6 from little to much, which one hue shows from pale to strong. */
  scale?: boolean;
  /** Whether a machine is dimmed; where this is not given, the filter of cells says. All of a group alike. */
  dims?(machine: MachineRow): boolean;
  /** What is in a rack, for the screen reader; where this is not given, its cells are counted. */
  counts?(rack: Rack): string;
}

export const STATE_LAYER: Layer = {
  cellOf: (machine) => machine.cell,
  wordOf: (cell) => CELL_WORD[cell],
  note: machineNote,
  badge: (rack) => String(failedIn(rack) || ""),
  alarm: "failed",
};
