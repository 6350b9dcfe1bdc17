/** The floor as plain data: the columnar document unpacked, kept up to date by `machine.changed`, counted by cell. */
import type { Aisle, Cell, FloorDocument, FloorThen, MachineRow, RackRow, Table } from "../api/shapes.ts";
import type { LiveEvent } from "../live/protocol.ts";
import { squeeze } from "./schematic.ts";

export interface Rack extends RackRow {
  rowName: string;
  /** From the highest U down, as one sees them standing in front. */
  machines: MachineRow[];
}

export function unpack<T>(table: Table): T[] {
  return table.rows.map((values) => Object.fromEntries(table.columns.map((name, i) => [name, values[i]])) as T);
}

/** How deep an aisle between two rows, and how wide a gap within a row, is drawn at most. */
const AISLE_DRAWN_MM = 620;
const GAP_DRAWN_MM = 1_200;

/** Coordinates are those of the drawing: the room's, with wide aisles squeezed (see schematic.ts). */
export class FloorModel {
  readonly racks = new Map<number, Rack>();
  readonly machines = new Map<number, MachineRow>();
  readonly aisles: Aisle[];
  readonly room: FloorDocument["room"] & { x_mm: number; y_mm: number };
  readonly site: FloorDocument["site"];
  private readonly counted: Record<Cell, number> = {
    allocated: 0, available: 0, suspect: 0, failed: 0, drained: 0, repair: 0, provisioning: 0, off: 0, no_signal: 0,
  };

  /** The floor as it is, or as it was. */
  constructor(document: FloorDocument | FloorThen) {
    this.site = document.site;
    const racks = unpack<RackRow>(document.racks);
    const drawX = squeeze(racks.map((r) => ({ from: r.x_mm, to: r.x_mm + r.width_mm })), GAP_DRAWN_MM);
    const drawY = squeeze(racks.map((r) => ({ from: r.y_mm, to: r.y_mm + r.depth_mm })), AISLE_DRAWN_MM);
    const draw = <T extends { x_mm: number; y_mm: number; width_mm: number; depth_mm: number }>(thing: T): T => {
      const [x, y] = [drawX(thing.x_mm), drawY(thing.y_mm)];
      const [right, bottom] = [drawX(thing.x_mm + thing.width_mm), drawY(thing.y_mm + thing.depth_mm)];
      return { ...thing, x_mm: x, y_mm: y, width_mm: right - x, depth_mm: bottom - y };
    };
    this.room = draw({ ...document.room, x_mm: 0, y_mm: 0 });
    this.aisles = document.aisles.map(draw);
    const rowNames = new Map(document.rows.map((row) => [row.id, row.name]));
    for (const rack of racks) {
      this.racks.set(rack.id, { ...draw(rack), rowName: rowNames.get(rack.row ?? -1) ?? "", machines: [] });
    }
    for (const machine of unpack<MachineRow>(document.machines)) {
      this.machines.set(machine.id, machine);
      this.racks.get(machine.rack)?.machines.push(machine);
    }
    for (const rack of this.racks.values()) rack.machines.sort((a, b) => b.u - a.u);
    for (const machine of this.machines.values()) this.counted[machine.cell] += 1;
  }

  /** Take over a machine's new state. Returns the rack to draw again, or null if the event is not about this floor. */
  apply(event: LiveEvent): number | null {
    if (event.kind !== "machine.changed") return null;
    const news = event.data as unknown as Partial<MachineRow> & { id: number };
    const machine = this.machines.get(news.id);
    if (!machine) return null;
    this.counted[machine.cell] -= 1;
    for (const name of ["cell", "state", "worst", "reachability", "since", "ticket", "faults"] as const) {
      if (name in news) Object.assign(machine, { [name]: news[name] });
    }
    this.counted[machine.cell] += 1;
    return machine.rack;
  }

  totals(): Record<Cell, number> {
    return { ...this.counted };
  }

  machineNamed(name: string): MachineRow | undefined {
    for (const machine of this.machines.values()) if (machine.name === name) return machine;
    return undefined;
  }

  rackNamed(name: string): Rack | undefined {
    for (const rack of this.racks.values()) if (rack.name === name) return rack;
    return undefined;
  }
}

export const failedIn = (rack: Rack): number => rack.machines.filter((machine) => machine.cell === "failed").length;
