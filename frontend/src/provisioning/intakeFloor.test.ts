import { describe, expect, it } from "vitest";
import type { FloorDocument } from "../api/shapes.ts";
import { FloorModel } from "../map/model.ts";
import { hrefOf, intakeLayer, type IntakePlace, PLACE_CELL, PLACE_STATES, rackOf, shownPlaces } from "./intakeFloor.ts";

const place = (state: IntakePlace["state"], id: number | null, name: string, rack = "a01", more: Partial<IntakePlace> = {}): IntakePlace => ({
  state, machine: id === null ? null : { id, name }, name, rack, place: "", text: "", shown_by: null, shown_by_id: null, ...more,
});
const model = new FloorModel({
  site: { id: 1 }, room: { id: 1, width_mm: 9000, depth_mm: 9000 }, aisles: [], rows: [],
  racks: { columns: ["id", "name", "row", "x_mm", "y_mm", "width_mm", "depth_mm"], rows: [[10, "A01", null, 0, 0, 600, 1200], [11, "A02", null, 600, 0, 600, 1200]] },
  machines: { columns: ["id", "name", "rack", "u"], rows: [[1, "gpu-001", 10, 1], [2, "gpu-002", 10, 9], [3, "gpu-003", 11, 1]] },
} as unknown as FloorDocument);
const PLACES = [place("to_accept", 1, "gpu-001"), place("exchanged", 3, "gpu-003", "a02"), place("unknown", null, "4GMPN72"), place("unknown", null, "10.0.0.7", "")];

describe("the floor of intake", () => {
  it("gives every state a look of its own, and takes a machine that is not listed for confirmed", () => {
    expect(new Set(Object.values(PLACE_CELL)).size).toBe(PLACE_STATES.length);
    const layer = intakeLayer(PLACES);
    const [first, second] = [model.machines.get(1)!, model.machines.get(2)!];
    expect([layer.cellOf(first), layer.cellOf(second)]).toEqual(["allocated", "available"]);
    expect(layer.wordOf(layer.cellOf(first))).toBe("To be accepted");
  });

  it("counts on a rack what somebody has to put right, strangers that stand there too", () => {
    const layer = intakeLayer(PLACES);
    expect([10, 11].map((id) => layer.badge(model.racks.get(id)!))).toEqual(["1", "1"]);
    expect(intakeLayer([PLACES[0]!]).badge(model.racks.get(10)!)).toBe("");
  });

  it("filters by rack and state, what is wrong first; what has no place is in no rack", () => {
    expect(shownPlaces(PLACES, model, 10, []).map((each) => each.name)).toEqual(["4GMPN72", "gpu-001"]);
    expect(shownPlaces(PLACES, model, null, ["unknown"]).map((each) => each.name)).toEqual(["10.0.0.7", "4GMPN72"]);
    expect(shownPlaces(PLACES, model, null, [])).toHaveLength(4);
    expect(rackOf(PLACES[3]!, model)).toBeNull();
  });

  it("leads to the list or the discovery that shows it, and nowhere for what nobody saw", () => {
    expect(hrefOf(place("differs", 1, "x", "", { shown_by: "delivery", shown_by_id: 4 }))).toBe("/provisioning/intake?delivery=4");
    expect(hrefOf(place("parts", 1, "x", "", { shown_by: "discovery", shown_by_id: 5 }))).toBe("/provisioning/discovery?discovery=5");
    expect(hrefOf(place("not_found", 1, "x"))).toBeNull();
  });
});
