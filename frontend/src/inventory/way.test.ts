import { expect, test } from "vitest";
import type { FloorDocument } from "../api/shapes.ts";
import { FloorModel } from "../map/model.ts";
import { before, wayBetween, wayText } from "./way.ts";

/** Three rows of six racks: A looks down, B up (a cold aisle between them), C down. */
function room(): FloorModel {
  const racks = ["A", "B", "C"].flatMap((row, r) =>
    Array.from({ length: 6 }, (_, i) => [r * 10 + i + 1, `${row}0${i + 1}`, r + 1, i * 600, r * 2_400, 600, 1_200, row === "B" ? "up" : "down", 48, "compute"]),
  );
  return new FloorModel({
    cursor: "", generated_at: "", site: { id: 1, slug: "s", name: "S" }, room: { id: 1, name: "Hall", width_mm: 9_000, depth_mm: 9_000 },
    rooms: [], rows: [{ id: 1, name: "A" }, { id: 2, name: "B" }, { id: 3, name: "C" }], aisles: [],
    racks: { columns: ["id", "name", "row", "x_mm", "y_mm", "width_mm", "depth_mm", "facing", "height_u", "role"], rows: racks },
    machines: { columns: [], rows: [] }, cells: [], totals: {}, notices: [],
  } as unknown as FloorDocument);
}
const spot = (model: FloorModel, name: string, face: "front" | "rear" = "front") => ({ rack: model.rackNamed(name)!, face });

test("one stands before the face in the aisle it looks to", () => {
  const model = room();
  const a = model.rackNamed("A02")!;
  expect(before({ rack: a, face: "front" }).y).toBeGreaterThan(a.y_mm + a.depth_mm);
  expect(before({ rack: a, face: "rear" }).y).toBeLessThan(a.y_mm);
});

test("within an aisle the way is straight, also to the row across", () => {
  const model = room();
  expect(wayBetween(model, spot(model, "A02"), spot(model, "A05"))).toHaveLength(4);
  expect(wayText(model, spot(model, "A02"), spot(model, "A05"))).toBe("In the same aisle, 3 racks to the right");
  expect(wayText(model, spot(model, "A03"), spot(model, "B02"))).toBe("In the same aisle, one rack to the left, across");
});

test("to another aisle one walks round the nearer end, and through no rack", () => {
  const model = room();
  const way = wayBetween(model, spot(model, "A02"), spot(model, "C02"));
  expect(wayText(model, spot(model, "A02"), spot(model, "C02"))).toBe("In another aisle: round the left end of the row");
  way.slice(1, -1).forEach((point) => {
    for (const rack of model.racks.values()) {
      const inside = point.x > rack.x_mm && point.x < rack.x_mm + rack.width_mm && point.y > rack.y_mm && point.y < rack.y_mm + rack.depth_mm;
      expect(inside).toBe(false);
    }
  });
  expect(wayText(model, spot(model, "A05"), spot(model, "C06"))).toContain("right end");
});

test("two faces of one rack are said to be that", () => {
  const model = room();
  expect(wayText(model, spot(model, "A02"), spot(model, "A02", "rear"))).toBe("In the same rack, on the other face");
});
