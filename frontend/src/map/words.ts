/** The floor in words: for the screen reader, the tooltip and the table. */
import type { Cell, MachineRow } from "../api/shapes.ts";
import { CELL_WORD, CELLS, plural, stateWord, VERDICT_WORD } from "../text.ts";
import { ago } from "../util/time.ts";
import type { Rack } from "./model.ts";

/** How a layer looks at machines; by default their state. */
interface Look {
  cellOf(machine: MachineRow): Cell;
  wordOf(cell: Cell): string;
  counts?(rack: Rack): string;
}
const STATE: Look = { cellOf: (machine) => machine.cell, wordOf: (cell) => CELL_WORD[cell] };

/** `1 failed, 3 allocated`; nothing for a rack without machines. */
export function cellCounts(rack: Rack, look: Look = STATE): string {
  return [...CELLS]
    .sort((a, b) => loudness(a) - loudness(b))
    .map((cell) => ({ cell, count: rack.machines.filter((machine) => look.cellOf(machine) === cell).length }))
    .filter(({ count }) => count)
    .map(({ cell, count }) => `${count} ${look.wordOf(cell).toLowerCase()}`)
    .join(", ");
}

const LOUD = ["failed", "suspect", "no_signal", "repair", "drained"];
const loudness = (cell: string): number => (LOUD.includes(cell) ? LOUD.indexOf(cell) : LOUD.length);

export function describeRack(rack: Rack, look: Look = STATE): string {
  const counts = look.counts?.(rack) ?? cellCounts(rack, look);
  const row = rack.rowName ? `, row ${rack.rowName}` : "";
  return `Rack ${rack.name}${row}: ${counts ? `${plural(rack.machines.length, "machine")}: ${counts}` : `no machines, ${rack.role}`}.`;
}

/** The one thing worth saying about a machine in half a line. */
export function machineNote(machine: MachineRow, nowMs: number): string {
  if (machine.ticket) return machine.ticket;
  if (machine.cell === "no_signal") return machine.reachability === "never" ? "never reached" : "unreachable";
  if (machine.worst && machine.worst !== "ok" && machine.worst !== "info") return VERDICT_WORD[machine.worst].toLowerCase();
  if (machine.state !== "ready") return stateWord(machine.state).toLowerCase();
  return machine.since ? ago(machine.since, nowMs).replace(" ago", "") : "";
}
