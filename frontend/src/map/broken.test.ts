/** What is broken stays readable: a machine keeps its name on the map, a part its number. */
import { render } from "svelte/server";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Cell, ElevationItem, FloorDocument } from "../api/shapes.ts";
import RackFace from "../inventory/RackFace.svelte";
import ElevationFace from "../lib/ElevationFace.svelte";
import { drawFloor, markBox, nameMiddle, namePlace, type Scene } from "./draw.ts";
import { FloorModel } from "./model.ts";
import { CELL_STYLE, cellMarks, numberedCell } from "./shapes.ts";

const CELLS = Object.keys(CELL_STYLE) as Cell[];
const LONG = "compute-hall-north-17-03";

/** One rack with a machine in each state, their names too long for a place beside a mark. */
function model(): FloorModel {
  return new FloorModel({
    cursor: "e:1-0", generated_at: "", site: { id: 1, slug: "s", name: "S" },
    room: { id: 1, name: "R", width_mm: 3_000, depth_mm: 3_000 },
    rooms: [], rows: [{ id: 1, name: "A" }], aisles: [], cells: [], totals: {}, notices: [],
    racks: { columns: ["id", "name", "row", "x_mm", "y_mm", "width_mm", "depth_mm", "facing", "height_u", "role"], rows: [[1, "A01", 1, 100, 100, 600, 1_200, "up", 48, "compute"]] },
    machines: {
      columns: ["id", "name", "rack", "u", "height_u", "cell", "state", "worst", "reachability", "since", "ticket", "faults"],
      rows: CELLS.map((cell, i) => [i + 1, `${LONG}${i}`, 1, i * 6 + 1, 6, cell, "ready", "ok", "reachable", null, null, 0]),
    },
  } as unknown as FloorDocument);
}

/** The texts that a canvas is given; a letter is 0.5 em wide. */
function drawnTexts(scale: number): string[] {
  const texts: string[] = [];
  const own: Record<string, unknown> = {
    font: "12px x",
    measureText: (text: string) => ({ width: text.length * 0.5 * Number(/([\d.]+)px/.exec(String(own.font))![1]) }),
    fillText: (text: string) => texts.push(text),
  };
  const ctx = new Proxy(own, { get: (target, key) => target[key as string] ?? (() => undefined) });
  const scene = {
    model: model(), view: { scale, tx: 0, ty: 0 }, size: { w: 2_000, h: 2_000 }, palette: () => "black", font: "x", filter: new Set(), marked: new Set(), nowMs: 0,
    layer: { cellOf: (machine: { cell: Cell }) => machine.cell, badge: () => "", note: () => "", alarm: "failed" },
  } as unknown as Scene;
  drawFloor(ctx as unknown as CanvasRenderingContext2D, scene);
  return texts;
}

beforeAll(() => {
  vi.stubGlobal("Path2D", class {});
});

describe("a broken machine keeps its name on the map", () => {
  test("at every zoom either all machines are named, whatever their state, or none", () => {
    const counts = Array.from({ length: 60 }, (_, i) => drawnTexts(0.1 + i * 0.01).filter((text) => text.startsWith(LONG)).length);
    expect(new Set(counts)).toEqual(new Set([0, CELLS.length]));
  });

  test("the mark is still drawn, and not over the name", () => {
    const box = { x: 0, y: 0, w: 84, h: 24 };
    for (const wanted of [50, 80, 90]) {
      const name = namePlace("failed", box, wanted);
      expect(name.size).toBeGreaterThanOrEqual(9.5);
      const mark = markBox({ box, name });
      const capitals = nameMiddle(box, name) - name.size * 0.365;
      expect(mark.h).toBeGreaterThan(6);
      expect(mark.y + mark.h <= capitals + 0.5 || mark.x > 5 + (wanted * name.size) / 12).toBe(true);
    }
  });
});

describe("a broken GPU keeps its number", () => {
  const item = {
    id: 7, name: "hgx-a01-01", u: 1, height_u: 8, column: "full", face: "front", kind: "machine", machine: 7, model: "HGX", cell: "failed", worst: "fail", ticket: null,
    parts: (["fail", "warn", "unknown", "ok", null] as const).map((verdict, i) => ({ slot: `GPU ${i}`, label: `SXM ${i + 31}`, kind: "gpu", verdict })),
  } as unknown as ElevationItem;
  const numbers = (html: string) => [...html.matchAll(/<text[^>]*>(3[1-5])<\/text>/g)].map((found) => found[1]);

  test("in the rack beside the map", () => {
    const props = { rack: "A01", heightU: 12, items: [item], side: "front" as const, sides: [], pointed: null, cellOf: () => "failed" as const };
    expect(numbers(render(ElevationFace, { props }).body)).toEqual(["31", "32", "33", "34", "35"]);
  });

  test.each(CELLS)("%s: the mark and the number stand apart, both within the part", (cell) => {
    for (const [w, h, size] of [[30, 22, 12], [30, 24, 9], [33, 24, 9], [68, 24, 11], [14, 24, 9]] as const) {
      const { x, baseline, mark } = numberedCell(cell, { x: 0, y: 0, w, h }, size);
      const half = size * 0.3;
      expect(x - half).toBeGreaterThanOrEqual(0);
      expect(baseline).toBeLessThanOrEqual(h);
      expect(baseline - size * 0.73).toBeGreaterThanOrEqual(0);
      if (!cellMarks(cell, mark).length) continue;
      expect(mark.h).toBeGreaterThan(5);
      expect(x + half <= mark.x || mark.y + mark.h <= baseline - size * 0.73 + 0.5).toBe(true);
    }
  });

  test("on the rack's own page", () => {
    const props = {
      rack: "A01", heightU: 12, items: [item], all: [item], side: "front" as const, numbering: "up" as const, sides: [], picked: null,
      cellOf: () => "failed" as const, farText: new Map<number, string>(), onpick: () => undefined, onopen: () => undefined,
    };
    expect(numbers(render(RackFace, { props }).body)).toEqual(["31", "32", "33", "34", "35"]);
  });
});
