import { expect, test } from "vitest";
import type { RackThumbnail, RowRecord, ThumbnailItem } from "./shapes.ts";
import { byRow, describe as words, machinesOf } from "./wall.ts";

const item = (u: number, machine: number | null, cell: ThumbnailItem["cell"] = null): ThumbnailItem => ({
  id: u, name: `d${u}`, kind: machine ? "machine" : "switch", machine, u, height_u: 6, column: "full", cell, face: "both", from_top_u: 1, model: null, worst: null, ticket: null,
});
const rack = (name: string, row: number | null, items: ThumbnailItem[] = []) => ({
  rack: { id: name.length, name, row_id: row, height_u: 48, numbering: "up", free_u: 22 }, front: items, rear: items,
}) as unknown as RackThumbnail;

const row = (id: number, name: string): RowRecord => ({ id, site: 1, site_name: "S", room: 1, room_name: "Hall", name, position: id });

test("racks stand in the order of the rows, and within one as people count", () => {
  const rows = [row(2, "B"), row(1, "A")];
  const groups = byRow([rack("B1", 2), rack("A10", 1), rack("A2", 1), rack("X", null)], rows);
  expect(groups.map((group) => [group.name, group.racks.map((each) => each.rack.name)])).toEqual([
    ["A", ["A2", "A10"]], ["B", ["B1"]], ["", ["X"]],
  ]);
});

test("a thumbnail is told in words, the bad first, each machine once", () => {
  const full = rack("A17", 1, [item(1, 11, "available"), item(7, 12, "failed"), item(13, 13, "suspect"), item(40, null)]);
  expect(words(full, (each) => each.cell)).toBe("Rack A17: 3 machines, 1 failed, 1 suspect; 22U free");
  expect(words(rack("N1", 1), () => null)).toBe("Rack N1: no machines; 22U free");
  expect(machinesOf(full)).toHaveLength(3);
});
