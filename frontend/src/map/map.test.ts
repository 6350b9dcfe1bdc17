import { describe, expect, test } from "vitest";
import type { Cell, FloorDocument } from "../api/shapes.ts";
import type { LiveEvent } from "../live/protocol.ts";
import { cellBox, floorBounds, hit, neighbour, overlaps, rackBox, rowLabels } from "./geometry.ts";
import { nameSizeFor } from "./draw.ts";
import { Gestures } from "./gestures.ts";
import { failedIn, FloorModel } from "./model.ts";
import { squeeze } from "./schematic.ts";
import { CELL_STYLE, cellMarks, cellOfVerdict } from "./shapes.ts";
import { fit, fromText, keepInSight, MAX_ZOOM, reveal, toScreen, toText, toWorld, type View, zoomAt } from "./view.ts";
import { cellCounts, describeRack } from "./words.ts";

/** Two rows of `columns` racks with four machines each; the rows are 1.8 m apart. */
function floorDocument(columns = 3): FloorDocument {
  const racks = [1, 2].flatMap((row) =>
    Array.from({ length: columns }, (_, c) => [
      row * 100 + c, `${"AB"[row - 1]}0${c + 1}`, row, 1_000 + c * 600, row === 1 ? 1_000 : 4_000, 600, 1_200, "up", 48, "compute",
    ]),
  );
  const machines = racks.flatMap((rack) =>
    [1, 2, 3, 4].map((i) => [
      Number(rack[0]) * 10 + i, `m-${String(rack[1])}-${i}`, rack[0], (i - 1) * 6 + 1, 6, "allocated", "ready", "ok", "reachable", null, null, 0,
    ]),
  );
  return {
    cursor: "e:1-0",
    generated_at: "2026-11-01T00:00:00Z",
    site: { id: 1, slug: "s", name: "Site" },
    room: { id: 1, name: "Room", width_mm: 6_000, depth_mm: 7_000 },
    rooms: [],
    rows: [{ id: 1, name: "A" }, { id: 2, name: "B" }],
    aisles: [{ kind: "cold", name: "A · B", x_mm: 1_000, y_mm: 2_200, width_mm: columns * 600, depth_mm: 1_800 }],
    racks: { columns: ["id", "name", "row", "x_mm", "y_mm", "width_mm", "depth_mm", "facing", "height_u", "role"], rows: racks },
    machines: { columns: ["id", "name", "rack", "u", "height_u", "cell", "state", "worst", "reachability", "since", "ticket", "faults"], rows: machines },
    cells: [],
    totals: {},
    notices: [],
  } as unknown as FloorDocument;
}

const changed = (id: number, data: Record<string, unknown>): LiveEvent => ({
  id: 1, kind: "machine.changed", subject: `machine:${id}`, at: "", data: { id, ...data },
});
const SIZE = { w: 1_000, h: 600 };
const BOUNDS = { x: 0, y: 0, w: 20_000, h: 10_000 };

describe("the floor model", () => {
  test("unpacks rows under their columns and puts the highest machine first", () => {
    const model = new FloorModel(floorDocument());
    const rack = model.rackNamed("A01");
    expect(rack?.machines.map((machine) => machine.name)).toEqual(["m-A01-4", "m-A01-3", "m-A01-2", "m-A01-1"]);
    expect(rack?.rowName).toBe("A");
  });

  test("an event changes the machine, says which rack to draw, and the counts still add up to all machines", () => {
    const model = new FloorModel(floorDocument());
    const id = model.machineNamed("m-A02-3")!.id;
    expect(model.apply(changed(id, { cell: "failed", ticket: "REP-1" }))).toBe(101);
    expect(model.machines.get(id)).toMatchObject({ cell: "failed", ticket: "REP-1", state: "ready" });
    expect(model.totals().failed).toBe(1);
    expect(Object.values(model.totals()).reduce((a, b) => a + b)).toBe(model.machines.size);
    expect(failedIn(model.rackNamed("A02")!)).toBe(1);
  });

  test("events of other rooms and other kinds change nothing", () => {
    const model = new FloorModel(floorDocument());
    expect(model.apply(changed(999_999, { cell: "failed" }))).toBeNull();
    expect(model.apply({ ...changed(1_001, {}), kind: "ticket.changed" })).toBeNull();
  });

  test("wide aisles are drawn narrow, racks keep their size, the aisle stays between its rows", () => {
    const model = new FloorModel(floorDocument());
    const [a, b] = [model.rackNamed("A01")!, model.rackNamed("B01")!];
    expect([a.width_mm, a.depth_mm, b.depth_mm]).toEqual([600, 1_200, 1_200]);
    expect(b.y_mm - (a.y_mm + a.depth_mm)).toBe(620);
    expect(model.aisles[0]).toMatchObject({ y_mm: a.y_mm + a.depth_mm, depth_mm: 620 });
  });
});

test("squeezing keeps order, lengths of racks and short gaps", () => {
  const draw = squeeze([{ from: 100, to: 200 }, { from: 150, to: 300 }, { from: 350, to: 400 }, { from: 1_400, to: 1_500 }], 200);
  expect(draw(300) - draw(100)).toBe(200);
  expect(draw(350) - draw(300)).toBe(50);
  expect(draw(1_400) - draw(400)).toBe(200);
  expect(draw(1_700) - draw(1_500)).toBe(200);
  expect(draw(9_000)).toBe(draw(1_700));
  expect(draw(-9_000)).toBe(draw(-100));
  const positions = [0, 100, 250, 320, 380, 900, 1_450, 2_000].map(draw);
  expect(positions).toEqual([...positions].sort((x, y) => x - y));
  expect(squeeze([], 10)(42)).toBe(42);
});

describe("geometry", () => {
  const model = new FloorModel(floorDocument());
  const racks = [...model.racks.values()];

  test("cells lie inside their rack and do not touch each other, for one machine up to eight", () => {
    const rack = { ...racks[0]! };
    for (const count of [1, 4, 5, 8]) {
      rack.machines = Array.from({ length: count }, () => racks[0]!.machines[0]!);
      const boxes = rack.machines.map((_, i) => cellBox(rack, i));
      for (const [i, box] of boxes.entries()) {
        expect(box.x).toBeGreaterThan(rack.x_mm);
        expect(box.y + box.h).toBeLessThan(rack.y_mm + rack.depth_mm);
        for (const other of boxes.slice(i + 1)) expect(overlaps(box, other)).toBe(false);
      }
    }
  });

  test("a point finds its rack and machine, a gap only the rack, the aisle nothing", () => {
    const rack = model.rackNamed("B02")!;
    const box = cellBox(rack, 2);
    expect(hit(racks, box.x + 1, box.y + 1)).toEqual({ rack, machine: 2 });
    expect(hit(racks, rack.x_mm + 5, rack.y_mm + 5)).toEqual({ rack, machine: null });
    expect(hit(racks, rack.x_mm, rack.y_mm - 300)).toBeNull();
  });

  test("arrow keys go to the neighbour in that direction and stop at the edge", () => {
    const at = (name: string) => model.rackNamed(name)!;
    expect(neighbour(racks, at("A01"), "right")?.name).toBe("A02");
    expect(neighbour(racks, at("A02"), "left")?.name).toBe("A01");
    expect(neighbour(racks, at("A03"), "down")?.name).toBe("B03");
    expect(neighbour(racks, at("B03"), "up")?.name).toBe("A03");
    expect(neighbour(racks, at("A01"), "left")).toBeNull();
    expect(neighbour(racks, at("A03"), "right")).toBeNull();
  });

  test("all racks are inside the bounds that Fit shows, and rows have their labels", () => {
    const bounds = floorBounds(model);
    for (const rack of racks) {
      const box = rackBox(rack);
      expect(box.x > bounds.x && box.x + box.w < bounds.x + bounds.w && box.y > bounds.y).toBe(true);
    }
    expect(rowLabels(model).map((row) => row.name)).toEqual(["A", "B"]);
  });

  test("130 racks fit 1440 x 900 with cells of at least 8 x 3 pixels", () => {
    const document = floorDocument(22);
    const model = new FloorModel(document);
    const map = { w: 1_356, h: 740 };
    const view = fit(floorBounds(model), map);
    const cell = cellBox([...model.racks.values()][0]!, 0);
    expect(cell.w * view.scale).toBeGreaterThan(8);
    expect(cell.h * view.scale).toBeGreaterThan(3);
  });
});

test("a small site fills the window: neither the empty room nor a long aisle takes the place of its racks", () => {
  const document = floorDocument(4);
  document.room = { ...document.room, width_mm: 60_000, depth_mm: 60_000 };
  document.aisles.push({ kind: "cold", name: "C", x_mm: 0, y_mm: 5_200, width_mm: 60_000, depth_mm: 9_000 });
  const bounds = floorBounds(new FloorModel(document));
  expect(bounds.w).toBeLessThan(4 * 600 + 2 * 1_200 + 2 * 300);
  expect(bounds.h).toBeLessThan(2 * 1_200 + 2 * 620 + 2 * 300);
});

test("a name is set smaller where it does not fit, and left out rather than squeezed", () => {
  expect(nameSizeFor(70, 100)).toBe(12);
  expect(nameSizeFor(80, 70)).toBeCloseTo(10.5);
  expect(nameSizeFor(80, 50)).toBe(0);
});

describe("the view", () => {
  const start = fit(BOUNDS, SIZE);

  test("Fit shows everything, centred", () => {
    expect(toScreen(start, 0, 0).x).toBeCloseTo(0);
    expect(toScreen(start, 20_000, 10_000).y).toBeCloseTo(550);
  });

  test("zooming keeps the point under the pointer", () => {
    const before = toWorld(start, 420, 130);
    const after = toWorld(zoomAt(start, 420, 130, 3, BOUNDS, SIZE), 420, 130);
    expect(after.x).toBeCloseTo(before.x);
    expect(after.y).toBeCloseTo(before.y);
  });

  test("zoom has limits, and the floor cannot be dragged out of sight", () => {
    expect(zoomAt(start, 0, 0, 1_000, BOUNDS, SIZE).scale).toBeCloseTo(start.scale * MAX_ZOOM);
    const lost = keepInSight({ ...start, tx: 99_999, ty: -99_999 }, BOUNDS, SIZE);
    expect(toScreen(lost, 0, 0).x).toBeLessThan(SIZE.w);
    expect(toScreen(lost, 0, 10_000).y).toBeGreaterThan(0);
  });

  test("the address keeps the view, whatever the window's size", () => {
    const zoomed = zoomAt(start, 500, 300, 4, BOUNDS, SIZE);
    const text = toText(zoomed, BOUNDS, SIZE);
    const other = { w: 500, h: 900 };
    const middle = toWorld(fromText(text, BOUNDS, other)!, 250, 450);
    expect(middle.x).toBeCloseTo(toWorld(zoomed, 500, 300).x, -2);
    expect(fromText("nonsense", BOUNDS, SIZE)).toBeNull();
    expect(fromText("1,2", BOUNDS, SIZE)).toBeNull();
  });

  test("revealing moves no further than needed", () => {
    expect(reveal(start, { x: 9_000, y: 4_000, w: 600, h: 1_200 }, SIZE)).toEqual(start);
    const moved = reveal({ ...start, tx: -900 }, { x: 0, y: 4_000, w: 600, h: 1_200 }, SIZE);
    expect(toScreen(moved, 0, 0).x).toBeCloseTo(24);
  });
});

describe("gestures", () => {
  function hand() {
    let view: View = fit(BOUNDS, SIZE);
    const gestures = new Gestures(() => ({ view, bounds: BOUNDS, size: SIZE }), (next) => (view = next));
    return { gestures, view: () => view };
  }

  test("a press without a move is a tap, with a move a drag", () => {
    const { gestures, view } = hand();
    gestures.down(1, { x: 10, y: 10 });
    gestures.move(1, { x: 12, y: 11 });
    expect(gestures.up(1)).toEqual({ x: 12, y: 11 });
    const before = view();
    gestures.down(1, { x: 10, y: 10 });
    gestures.move(1, { x: 60, y: 10 });
    expect(gestures.dragging).toBe(true);
    expect(gestures.up(1)).toBeNull();
    expect(view().tx - before.tx).toBeCloseTo(50);
  });

  test("two fingers zoom around their middle and are no tap", () => {
    const { gestures, view } = hand();
    gestures.down(1, { x: 400, y: 300 });
    gestures.down(2, { x: 600, y: 300 });
    const middle = toWorld(view(), 500, 300);
    const scale = view().scale;
    gestures.move(1, { x: 300, y: 300 });
    gestures.move(2, { x: 700, y: 300 });
    expect(view().scale / scale).toBeCloseTo(2, 1);
    expect(toScreen(view(), middle.x, middle.y).x).toBeCloseTo(500, 0);
    expect(gestures.up(1)).toBeNull();
    expect(gestures.up(2)).toBeNull();
  });

  test("the wheel keeps the point under the pointer", () => {
    const { gestures, view } = hand();
    const under = toWorld(view(), 700, 200);
    gestures.wheel({ x: 700, y: 200 }, -240, false);
    expect(toScreen(view(), under.x, under.y).x).toBeCloseTo(700);
  });
});

describe("shapes", () => {
  const cells = Object.keys(CELL_STYLE) as Cell[];

  test("every state differs from every other without its colours: by mark, fill or dashes", () => {
    const box = { x: 0, y: 0, w: 20, h: 12 };
    const looks = cells.map((cell) => {
      const marks = cellMarks(cell, box).map((mark) => mark.path).join();
      // The two without a mark are told apart by being filled or hollow.
      return `${marks}|${cell === "available" ? "hollow" : "filled"}|${CELL_STYLE[cell].dash ? "dashed" : ""}`;
    });
    expect(new Set(looks).size).toBe(cells.length);
  });

  test("a part that was never checked is not drawn as healthy", () => {
    expect(cellOfVerdict("unknown")).toBe("no_signal");
    expect(cellOfVerdict(null)).toBe("no_signal");
    expect(cellOfVerdict("fail")).toBe("failed");
  });
});

test("a rack is described with its worst first", () => {
  const model = new FloorModel(floorDocument());
  model.apply(changed(model.machineNamed("m-A01-2")!.id, { cell: "failed" }));
  const rack = model.rackNamed("A01")!;
  expect(cellCounts(rack)).toBe("1 failed, 3 allocated");
  expect(describeRack(rack)).toBe("Rack A01, row A: 4 machines: 1 failed, 3 allocated.");
});
