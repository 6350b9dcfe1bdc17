import { expect, test } from "vitest";
import { CHANGE_WORD, type ChangeRow, changeRows, foldRows, keysOf } from "./changes.ts";
import { aligned, alone, readAt, ticks, timeTicks, valueText, within } from "../util/chart.ts";
import { fabricLayer, isTrusted } from "./floorLayer.ts";
import { columnsOf, gapNear, heatWords, warmth } from "./heat.ts";
import { gridOf, squareWords, step } from "./matrix.ts";
import { FABRIC_ROUTES, FABRIC_SECTIONS } from "./sections.ts";
import { inputTime, isoOf } from "../util/fieldTime.ts";
import type { ChangedLink, End, FindingItem, HeatRow, Leaf, LinkCounts, LinkState, Matrix, MatrixCell, SourceBrief } from "./shapes.ts";
import { discoveryRuns, endWords, everyWords, FINDING_KINDS, kindWord, moveWords, portWords, SOURCE_STATE, troubles } from "./words.ts";
import { match } from "../router.svelte.ts";

// ---- words ----

const LINKS: LinkCounts = { planned: 100, correct: 100, wrong: 0, missing: 0, dark: 0, off: 0, slow: 0, extra: 0, unknown: 0 };
const port = (more: Partial<End> = {}): End => ({
  device: "leaf-1", port: 22, device_id: 7, port_id: 70, port_name: "11/2", cage: 11, lane: 2, half: "lower", place: "Hall 1", rack_id: 3, ...more,
});

test("only a complete look is told as well: no data and a doubted look have a tone of their own", () => {
  for (const [state, said] of Object.entries(SOURCE_STATE)) {
    expect(said.tone === "ok", state).toBe(state === "ok");
    expect(said.says.length, state).toBeGreaterThan(20);
  }
});

test("what is not as planned is counted in words, links not known among it", () => {
  expect(troubles(LINKS)).toBe("");
  expect(troubles({ ...LINKS, correct: 90, wrong: 3, missing: 1, unknown: 1200 })).toBe("3 wrong port, 1 missing, 1,200 not known");
});

test("a socket is told as a hand finds it: cage and half, not the number of the port", () => {
  expect(portWords(port())).toBe("cage 11 lower");
  expect(portWords(port({ half: "" }))).toBe("cage 11");
  expect(portWords(port({ half: undefined }))).toBe("cage 11");
  expect(endWords(port())).toBe("leaf-1 cage 11 lower");
  expect(endWords(port({ device: "hgx-a01-01 mlx5_0", port: 1, port_name: "mlx5_0", cage: null }))).toBe("hgx-a01-01 mlx5_0");
  expect(portWords(port({ cage: null, port_name: "mlx5_0" }))).toBe("port mlx5_0");
  expect(portWords(port({ cage: null, port_name: "" }))).toBe("port 22");
});

test("a move names both sockets, a pulled and a hanging cable only the one there is", () => {
  const there = port({ cage: 15, half: "upper" });
  expect(moveWords({ take_from: port(), put_into: there })).toBe("leaf-1 cage 11 lower → cage 15 upper");
  expect(moveWords({ take_from: port(), put_into: { ...there, device: "leaf-2" } })).toBe("leaf-1 cage 11 lower → leaf-2 cage 15 upper");
  expect(moveWords({ take_from: port(), put_into: null })).toBe("Pull leaf-1 cage 11 lower");
  expect(moveWords({ take_from: null, put_into: there })).toBe("Insert into leaf-1 cage 15 upper");
});

test("a kind that this dashboard does not know yet is still readable", () => {
  expect(kindWord("swapped_pair")).toBe("Swapped pair");
  expect(kindWord("loose_optic")).toBe("Loose optic");
  expect(new Set(FINDING_KINDS).size).toBe(FINDING_KINDS.length);
});

test("periods are said shortly", () => {
  expect([0, 45, 600, 3600, 7200].map(everyWords)).toEqual(["only on demand", "every 45 s", "every 10 min", "every 1 hour", "every 2 hours"]);
});

test("a discovery is over when it is done, held back or failed", () => {
  expect((["queued", "reading", "reconciling", "storing", "done", "held_back", "failed"] as const).filter(discoveryRuns)).toEqual(["queued", "reading", "reconciling", "storing"]);
});

// ---- addresses ----

test("every tab leads to a page of the fabric, and the key of a link stays as it is written", () => {
  for (const section of FABRIC_SECTIONS) expect(section.routes).toContain(match(section.href).name);
  for (const name of FABRIC_ROUTES) expect(name).not.toBe("nowhere");
  expect(match("/fabric/links/b83fd2_1%3Ab83fd3_4")).toEqual({ name: "link", id: "b83fd2_1%3Ab83fd3_4" });
});

test("a time goes through a browser's field and comes back to the minute; an emptied field is no time", () => {
  const iso = new Date(2026, 10, 21, 14, 3).toISOString();
  expect(inputTime(iso)).toBe("2026-11-21T14:03");
  expect(isoOf(inputTime(iso))).toBe(iso);
  expect([inputTime("x"), isoOf("")]).toEqual(["", ""]);
});

// ---- matrix ----

const leaf = (id: number, pod: number | null): Leaf => ({ id, name: `leaf-${id}`, place: { room: "Hall", row: "B", rack: "B04", u: 38 }, pod });
const cell = (state: LinkState, counts: Partial<Record<LinkState, number>> = { [state]: 8 }): MatrixCell => ({ state, counts });
const RAILED: Matrix = {
  rails: [1, 2],
  leaves: [leaf(1, 2), leaf(2, 2), leaf(3, 10), leaf(4, null)],
  cells: [[cell("correct"), null], [null, cell("wrong")], [cell("off"), null], [null, cell("unknown")]],
};

test("leaves of one rail each stand side by side by pod, in the order of numbers, those without a pod last", () => {
  const grid = gridOf(RAILED);
  expect(grid.by).toBe("pod");
  expect(grid.rows.map((row) => [row.name, row.squares.map((square) => square?.leaf.name ?? null)])).toEqual([
    ["2", ["leaf-1", "leaf-2"]],
    ["10", ["leaf-3", null]],
    ["no pod", [null, "leaf-4"]],
  ]);
});

test("two leaves of the same pod and rail both stay visible", () => {
  const grid = gridOf({ ...RAILED, leaves: [leaf(1, 1), leaf(2, 1), leaf(3, 1), leaf(4, 1)] });
  expect(grid.rows.map((row) => row.squares.map((square) => square?.leaf.name ?? null))).toEqual([["leaf-1", "leaf-2"], ["leaf-3", "leaf-4"]]);
});

test("leaves that serve several rails have a row each", () => {
  const grid = gridOf({ rails: [1, 2], leaves: [leaf(1, 1)], cells: [[cell("correct"), cell("slow")]] });
  expect([grid.by, grid.rows[0]?.name, grid.rows[0]?.note]).toEqual(["leaf", "leaf-1", "Row B · rack B04 · U38"]);
});

test("a square says what is wrong in it, and links that nobody planned are not planned ones", () => {
  const counts = { correct: 30, missing: 2, extra: 1 };
  expect(squareWords({ leaf: leaf(5, 1), rail: 4, cell: cell("missing", counts) })).toBe("leaf-5, rail 4: 30 of 32 links as planned, 2 missing, 1 not planned");
});

test("arrow keys walk over holes and stop at the edge", () => {
  const grid = gridOf(RAILED);
  expect(step(grid, { row: 0, column: 1 }, "ArrowDown")).toEqual({ row: 2, column: 1 });
  expect(step(grid, { row: 0, column: 0 }, "ArrowLeft")).toBeNull();
  expect(step(grid, { row: 1, column: 0 }, "ArrowRight")).toBeNull();
  expect(step(grid, { row: 0, column: 0 }, "a")).toBeNull();
});

// ---- floor ----

test("the floor shows what findings name; without a trusted source the rest is not known, never well", () => {
  const finding = (state: string, device_ids: number[], rack_ids: number[]) => ({ title: `about ${device_ids[0]}`, state, device_ids, rack_ids }) as unknown as FindingItem;
  const findings = [finding("new", [1, 2], [9]), finding("open", [2], [9, 9])];
  const machine = (id: number) => ({ id }) as never;
  const layer = fabricLayer(findings, true);
  expect([1, 2, 3].map((id) => layer.cellOf(machine(id)))).toEqual(["suspect", "failed", "available"]);
  expect([1, 3].map((id) => layer.note(machine(id), 0))).toEqual(["about 1", "nothing found"]);
  expect([9, 8].map((id) => layer.badge(machine(id)))).toEqual(["2", ""]);
  expect([1, 3].map((id) => fabricLayer(findings, false).cellOf(machine(id)))).toEqual(["suspect", "no_signal"]);
  const source = (state: string) => ({ state }) as SourceBrief;
  expect([isTrusted([]), isTrusted([source("stale"), source("held_back")]), isTrusted([source("failed"), source("ok")])]).toEqual([false, false, true]);
});

// ---- charts ----

test("ticks are round, begin at nought and reach the largest value", () => {
  expect(ticks(20.1)).toEqual([0, 10, 20, 30]);
  expect(ticks(3e-11)).toEqual([0, 1e-11, 2e-11, 3e-11]);
  expect(ticks(0)).toEqual([0, 1]);
});

test("tiny rates and large counts are both readable", () => {
  expect([0, 1.25e-14, 0.25, 1204].map(valueText)).toEqual(["0", "1.3e-14", "0.25", "1,204"]);
});

const minute = 60_000;
const reading = (at: number, value: number | null): [string, number | null] => [new Date(at * minute).toISOString(), value];

test("a line breaks where nothing was measured, and a reading alone is a dot", () => {
  const points = [reading(0, 1), reading(1, 2), reading(2, null), reading(3, 3), reading(40, 1), reading(41, 2)];
  const { times, values } = aligned([{ name: "a", points }]);
  expect(values).toEqual([[1, 2, null, 3, null, 1, 2]]);
  expect(times[4]! / minute).toBeGreaterThan(3);
  expect(times[4]! / minute).toBeLessThan(40);
  expect(alone(values[0]!)).toEqual([3]);
});

test("readings of one end do not break the line of the other, and each is read at its nearest", () => {
  const chart = aligned([
    { name: "a", points: [reading(0, 1), reading(10, 2), reading(20, null)] },
    { name: "b", points: [reading(1, 5), reading(11, 6), reading(21, 7)] },
  ]);
  expect(chart.values[0]).toEqual([1, undefined, 2, null, null, null]);
  expect(alone(chart.values[0]!)).toEqual([]);
  expect(readAt(chart, 2)).toEqual([2, 6]);
  expect(readAt(chart, 5)).toEqual([null, 7]);
});

test("a zoomed part stays in the span and has a least length", () => {
  expect(within([-10, 20], [0, 100], 5)).toEqual([0, 30]);
  expect(within([98, 99], [0, 100], 5)).toEqual([95, 100]);
  expect(within([-50, 150], [0, 100], 5)).toBeNull();
});

test("the time axis has a handful of round steps", () => {
  for (const days of [1, 7, 30]) {
    const marks = timeTicks(0, days * 24 * 3_600_000);
    expect(marks.length).toBeGreaterThan(2);
    expect(marks.length).toBeLessThanOrEqual(6);
  }
});

// ---- heat ----

const gap = (rack: number, u: number) => ({ rack, rack_name: "", u, height_u: 1, column: "full" as const });
const warm = (u: number, max_c: number | null, rack = 1): HeatRow => ({ rack, rack_name: rack === 1 ? "A2" : "A10", u, device: `s${u}`, device_id: u + rack * 100, port_count: 64, max_c, mean_c: max_c });

test("racks stand in the order of their names, switches from the top down", () => {
  const columns = columnsOf({ site: 1, rows: [warm(3, 50, 2), warm(10, 50), warm(40, 71)], gaps: [gap(1, 38), gap(9, 1)] });
  expect(columns.map((column) => [column.name, column.cells.map((each) => each.u)])).toEqual([["A2", [40, 10]], ["A10", [3]]]);
  expect([gapNear(columns[0]!, 40), gapNear(columns[0]!, 10)]).toEqual([true, false]);
});

test("what was not measured is neither cool nor warm", () => {
  expect(warmth(null)).toBeNull();
  expect([20, 55, 69.9, 70].map((value) => warmth(value)?.step)).toEqual([0, 1, 2, 3]);
  expect(heatWords(warm(4, null), false)).toContain("not measured");
  expect(heatWords(warm(4, 71), true)).toContain("open gap");
});

// ---- changes ----

test("a row of changes keeps its key when newer ones come before it, and alike rows have keys of their own", () => {
  const row = (at: string, words: string): ChangeRow => ({ kind: "gone", at, words, before: "" });
  const old = [row("10:00", "leaf-1 port 3"), row("10:00", "leaf-1 port 3"), row("09:00", "leaf-1 port 3")];
  const keys = keysOf(old);
  expect(new Set(keys).size).toBe(3);
  expect(keysOf([row("11:00", "leaf-2 port 1"), ...old]).slice(1)).toEqual(keys);
});

test("changes are told newest first, by the planned name where there is one", () => {
  const end = (device: string, at: number, reported = "") => ({ guid: "b83fd20300b9ec00", port: at, device, device_id: null, reported });
  const link = (at: string, a: string, speed = "NDR"): ChangedLink => ({ source: 1, a: end(a, 1), b: end("", 2, "MF0;x"), width: "4x", speed, at });
  const rows = changeRows({
    from: "", to: "", cut_off: false,
    links: { come: [link("2026-01-01", "leaf-1")], gone: [], moved: [{ before: link("2026-01-02", "leaf-1"), after: link("2026-01-03", "leaf-2") }], rate: [{ before: link("2026-01-02", "leaf-3"), after: link("2026-01-02", "leaf-3", "HDR") }] },
    nodes: { come: [], gone: [{ source: 1, guid: "b83fd20300b9ec00", kind: "switch", reported: "", device: "", device_id: null, at: "2026-01-04" }], changed: [] },
  });
  expect(rows.map((row) => [row.kind, row.words, row.before])).toEqual([
    ["node_gone", "b83fd20300b9ec00", ""],
    ["moved", "leaf-2 1 – MF0;x 2", "leaf-1 1 – MF0;x 2"],
    ["rate", "leaf-3 1 – MF0;x 2: 4x HDR", "4x NDR"],
    ["come", "leaf-1 1 – MF0;x 2", ""],
  ]);
  for (const row of rows) expect(CHANGE_WORD[row.kind].word).not.toBe("");
});

test("what a first look brings is one row, and a handful stays apart", () => {
  const rows = Array.from({ length: 21 }, (_, n) => ({ kind: "come" as const, at: "2026-01-01", words: `leaf-1 ${n}`, before: "" }));
  const folded = foldRows([...rows, { kind: "gone", at: "2026-01-01", words: "leaf-2 1", before: "" }]);
  expect(folded.map((row) => [row.words, row.many?.length])).toEqual([["21 links came with one discovery run", 21], ["leaf-2 1", undefined]]);
  expect(foldRows(rows.slice(1))).toEqual(rows.slice(1));
});
