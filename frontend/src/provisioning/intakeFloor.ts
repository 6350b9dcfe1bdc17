/** The floor as deliveries and discoveries show it: the shapes of states with the words of intake. Pure. */
import { IntakePlaceState as STATE } from "../api/generated/words.ts";
import type { Schemas } from "../api/schema.ts";
import type { Cell } from "../api/shapes.ts";
import type { Layer } from "../map/layer.ts";
import type { FloorModel, Rack } from "../map/model.ts";
import { codesOf, wordsOf } from "../text.ts";

export type IntakePlace = Schemas["IntakePlace"];
export type PlaceState = IntakePlace["state"];

/** What is wrong first, what is confirmed last. */
export const PLACE_STATES: PlaceState[] = codesOf(STATE);
export const PLACE_WORD = wordsOf(STATE);

/** Which look stands for which state: each has a mark of its own, so that they differ without colour as well. */
export const PLACE_CELL = {
  unknown: "failed", exchanged: "drained", elsewhere: "repair", differs: "provisioning", parts: "suspect", unread: "off",
  not_found: "no_signal", to_accept: "allocated", confirmed: "available",
} as const satisfies Record<PlaceState, Cell>;
const STATE_OF = new Map<Cell, PlaceState>(PLACE_STATES.map((state) => [PLACE_CELL[state], state]));
/** What somebody has to put right, and not only to accept or to find. */
const WRONG: ReadonlySet<PlaceState> = new Set(["unknown", "exchanged", "elsewhere", "differs", "parts"]);

export function intakeLayer(places: readonly IntakePlace[]): Layer {
  const byMachine = new Map(places.flatMap((place) => (place.machine ? [[place.machine.id, place.state] as const] : [])));
  const strangers = new Map<string, number>();
  for (const { machine, rack } of places) if (!machine && rack) strangers.set(rack, (strangers.get(rack) ?? 0) + 1);
  const stateOf = (machine: { id: number }): PlaceState => byMachine.get(machine.id) ?? "confirmed";
  const cellOf = (machine: { id: number }): Cell => PLACE_CELL[stateOf(machine)];
  return {
    cellOf,
    wordOf: (cell) => PLACE_WORD[STATE_OF.get(cell) ?? "confirmed"],
    note: (machine) => PLACE_WORD[stateOf(machine)].toLowerCase(),
    badge: (rack) => String(rack.machines.filter((machine) => WRONG.has(stateOf(machine))).length + (strangers.get(rack.name.toLowerCase()) ?? 0) || ""),
    alarm: "failed",
  };
}

/** The rack that a place is in, where this room has it; null: no place, or another room's. */
export function rackOf(place: IntakePlace, model: FloorModel): Rack | null {
  const planned = place.machine && model.machines.get(place.machine.id);
  if (planned) return model.racks.get(planned.rack) ?? null;
  if (place.machine || !place.rack) return null;
  return [...model.racks.values()].find((rack) => rack.name.toLowerCase() === place.rack) ?? null;
}

/** Those of a rack and of the chosen states, what is wrong first. */
export function shownPlaces(places: readonly IntakePlace[], model: FloorModel, rack: number | null, chosen: readonly PlaceState[]): IntakePlace[] {
  const rank = (place: IntakePlace) => PLACE_STATES.indexOf(place.state);
  return places
    .filter((place) => (rack === null || rackOf(place, model)?.id === rack) && (!chosen.length || chosen.includes(place.state)))
    .sort((a, b) => rank(a) - rank(b) || a.rack.localeCompare(b.rack, "en", { numeric: true }) || a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** Where a place is put right: the list or the discovery that shows it; none of what nobody saw. */
export function hrefOf(place: IntakePlace): string | null {
  if (place.shown_by === "delivery") return `/provisioning/intake?delivery=${place.shown_by_id}`;
  return place.shown_by === "discovery" ? `/provisioning/discovery?discovery=${place.shown_by_id}` : null;
}
