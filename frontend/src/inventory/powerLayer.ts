/** What the floor map shows when a feed is dead: the shapes of states with the words of power. */
import * as words from "../api/generated/words.ts";
import { wordsOf } from "../text.ts";
import type { Cell } from "../api/shapes.ts";
import type { Layer } from "../map/layer.ts";
import type { FeedFailure, PowerState } from "./shapes.ts";

export const POWER_WORD = wordsOf(words.PowerOutcome);

/** Which look stands for what becomes of a machine. */
export const POWER_CELL = { lost: "failed", degraded: "suspect", unknown: "no_signal", ok: "available" } as const satisfies Record<string, Cell>;
const WORD_OF_CELL = new Map<Cell, string>(Object.entries(POWER_CELL).map(([state, cell]) => [cell, POWER_WORD[state as PowerState]]));

export function powerLayer(failure: FeedFailure): Layer {
  const cells = new Map<number, Cell>();
  for (const state of ["degraded", "unknown", "lost"] as const) {
    for (const device of failure[state]) cells.set(device.id, POWER_CELL[state]);
  }
  const tripping = new Set(failure.trips.map((trip) => trip.rack));
  const cellOf = (machine: { id: number }): Cell => cells.get(machine.id) ?? POWER_CELL.ok;
  const wordOf = (cell: Cell): string => WORD_OF_CELL.get(cell) ?? "";
  return {
    cellOf,
    wordOf,
    note: (machine) => wordOf(cellOf(machine)).toLowerCase(),
    // A breaker that trips takes the whole rack, so it is louder than the machines that were lost before.
    badge: (rack) => (tripping.has(rack.id) ? "!" : String(rack.machines.filter((machine) => cellOf(machine) === "failed").length || "")),
    alarm: "failed",
  };
}

export interface AffectedRow {
  id: number;
  name: string;
  kind: string;
  rack: number | null;
  rackName: string;
  state: "lost" | "degraded" | "unknown";
}

/** The devices that are hit, the worst first, then by rack. */
export function affectedRows(failure: FeedFailure): AffectedRow[] {
  const order = ["lost", "unknown", "degraded"] as const;
  return order.flatMap((state) =>
    [...failure[state]]
      .sort((a, b) => (a.rack_name ?? "").localeCompare(b.rack_name ?? "", "en", { numeric: true }) || a.name.localeCompare(b.name))
      .map((device) => ({ id: device.id, name: device.name, kind: device.kind, rack: device.rack, rackName: device.rack_name ?? "", state })),
  );
}

/** `PDU pdu-a17-a would carry 12.0 kW of 9.2 kW`: one line for each breaker, whatever racks hang on it. */
export interface Trip {
  key: string;
  name: string;
  carries: number;
  may: number;
  racks: { id: number; name: string }[];
}

export function tripsByBreaker(failure: FeedFailure): Trip[] {
  const trips = new Map<string, Trip>();
  for (const { rack, rack_name, feed, pdu, carries_w, derated_w } of failure.trips) {
    const key = pdu ? `pdu${pdu.id}` : `feed${feed?.id}`;
    const trip = trips.get(key) ?? { key, name: pdu ? `PDU ${pdu.name}` : `Feed ${feed?.name ?? "?"}`, carries: carries_w, may: derated_w, racks: [] };
    trip.racks.push({ id: rack, name: rack_name });
    trips.set(key, trip);
  }
  return [...trips.values()];
}

/** A bar's parts in percent of its length, which ends at the largest of its values. */
export function barParts(values: { planned: number | null; measured: number | null; derated: number | null; capacity: number | null; carries?: number | null }) {
  const longest = Math.max(values.planned ?? 0, values.measured ?? 0, values.derated ?? 0, values.capacity ?? 0, values.carries ?? 0, 1);
  const share = (watts: number | null | undefined): number | null => (watts == null ? null : (100 * watts) / longest);
  return {
    planned: share(values.planned),
    measured: share(values.measured),
    derated: share(values.derated),
    capacity: share(values.capacity),
    carries: share(values.carries),
  };
}
