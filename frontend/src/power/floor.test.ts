import { expect, test } from "vitest";
import { type Aisle, arrange, moved, type Place } from "./arrange.ts";
import { ANSWER, FLOOR, floorRack, ROOM } from "./fixtures.ts";
import { answerLayer, counted, layerOf, LAYERS, roomLayer } from "./layers.ts";
import { roomRows } from "./roomLeft.ts";
import type { LoadState, WhatIf } from "./shapes.ts";
import { addressOf, outcomes, type Question, queryOf, type RoomQuestion, questionOf, sumWords } from "./whatIf.ts";

const [ok, near, over, unknown, part] = FLOOR.racks as [(typeof FLOOR.racks)[0], (typeof FLOOR.racks)[0], (typeof FLOOR.racks)[0], (typeof FLOOR.racks)[0], (typeof FLOOR.racks)[0]];
const tile = (key: string, rack = ok, floor = FLOOR) => layerOf(key).tile(rack, floor);

// ---- layers ----

test("near, over and not known each carry a sign of their own, in words too", () => {
  expect([tile("power", near).look, tile("power", over).look, tile("power", unknown).look]).toEqual(["near", "over", "unknown"]);
  expect(tile("power", near).words).toBe("40.9 kW of 42.0 kW, near its limit");
  expect(tile("power", over).words).toContain("over its limit");
});

test.each(LAYERS.map((layer) => [layer.key, layer] as const))("a rack without a value is not drawn as nought on the layer %s", (_, layer) => {
  const drawn = layer.tile(unknown, FLOOR);
  expect([drawn.text, drawn.fill, drawn.look]).toEqual(["?", null, "unknown"]);
  expect(drawn.words).toContain("not known");
});

test("of a rack that is measured in part its power is at least so much", () => {
  expect(tile("power", part).text).toBe("≥18.9");
  expect(tile("power", part).words).toMatch(/^at least 18.9 kW/);
});

test("power without a limit is a number without a fill", () => {
  const drawn = tile("power", floorRack(9, "A09", { limit_w: null, share: null, state: "unknown" }));
  expect([drawn.text, drawn.fill, drawn.look]).toEqual(["37.4", null, "unknown"]);
  expect(drawn.words).toContain("its limit is not known");
});

test("a tile is filled as far as the share of its limit, and no further than its top", () => {
  expect(tile("power").fill).toBeCloseTo(0.89, 2);
  expect(tile("power", over).fill).toBe(1);
});

test.each(LAYERS.map((layer) => [layer.key, layer] as const))("the counts of the legend of %s add up to all racks", (_, layer) => {
  expect(counted(layer, FLOOR).reduce((sum, band) => sum + band.count, 0)).toBe(FLOOR.racks.length);
});

test("the bands of the inlet follow the limit of the site", () => {
  expect([tile("inlet", near).look, tile("inlet", over).look]).toEqual(["near", "over"]);
  expect(tile("inlet", over, { ...FLOOR, inlet_c_limit: 32 }).look).toBe("step2");
  expect(layerOf("inlet").caption({ ...FLOOR, inlet_c_limit: 32 })).toContain("recommended to 32");
});

test("what is free is loud where it is little, and none where it is nought", () => {
  expect([tile("free", near).look, tile("free", over).look]).toEqual(["near", "over"]);
});

test("GPUs are in the bands of the site, which the legend names with their degrees and counts", () => {
  const layer = layerOf("gpu");
  expect(counted(layer, FLOOR).map(({ look, word, count }) => [look, word, count])).toEqual([
    ["step1", "great to 75 °C", 3], ["step2", "good below 80", 0], ["step3", "warm below 84", 0], ["near", "near throttling from 84 or its model's limit", 1],
    ["over", "throttling at its model's limit", 0], ["unknown", "not known", 1],
  ]);
  expect(tile("gpu", floorRack(9, "C01", { hottest_gpu_c: 81, gpu_band: "slows" }))).toMatchObject({ look: "over", text: "81", words: "Hottest GPU 81 °C, throttling" });
});

test("slowed GPUs are told apart by bands", () => {
  expect([tile("slowed").look, tile("slowed", near).look, tile("slowed", over).look]).toEqual(["step1", "near", "over"]);
});

test("of slowed GPUs that not every machine tells, a lower bound is never in the band of none", () => {
  const some = { slowed_at_least: true };
  expect(tile("slowed", floorRack(9, "C01", some))).toMatchObject({ look: "unknown", text: "≥0", words: "Slowed GPUs at least 0 GPUs, the others not known" });
  expect(tile("slowed", { ...near, ...some })).toMatchObject({ look: "near", text: "≥2", words: "Slowed GPUs at least 2 GPUs, the others not known" });
});

test("the caption names the limit where all racks have the same", () => {
  expect(layerOf(null).caption(FLOOR)).toBe("kW measured, of 42.0 kW a rack");
  expect(layerOf(null).caption({ ...FLOOR, racks: [ok, { ...near, limit_w: 30_000 }] })).toContain("each rack's limit");
});

// ---- rows, columns and keys ----

const place = (x_mm: number, y_mm: number): Place => ({ x_mm, y_mm, width_mm: 600 });
const PLACES = new Map([[1, place(0, 0)], [2, place(600, 0)], [3, place(1_200, 0)], [4, place(10, 3_000)], [5, place(1_190, 3_000)]]);
const AISLES: Aisle[] = [{ kind: "cold", name: "A · B", y_mm: 1_300, depth_mm: 1_500 }];

test("racks stand in the columns of their places, a gap in a row stays a gap", () => {
  const { rows, columns, heads } = arrange(FLOOR.racks, PLACES, AISLES);
  expect(columns).toBe(3);
  expect(rows.map((row) => [row.name, row.racks.map(({ rack, column }) => [rack.name, column])])).toEqual([["A", [["A01", 0], ["A02", 1], ["A03", 2]]], ["B", [["B01", 0], ["B02", 2]]]]);
  expect(heads).toEqual(["01", "02", ""]);
});

test("the aisle stands between the rows that it is between", () => {
  expect(arrange(FLOOR.racks, PLACES, AISLES).rows.map((row) => row.aisle?.name ?? null)).toEqual(["A · B", null]);
});

test("without places racks stand in the order of their names, rows without a name last, and none is lost", () => {
  const lost = floorRack(6, "X01", { row: null });
  const { rows } = arrange([lost, ...FLOOR.racks].reverse(), new Map(), AISLES);
  expect(rows.map((row) => row.name)).toEqual(["A", "B", "no row"]);
  expect(rows.flatMap((row) => row.racks)).toHaveLength(6);
  expect(rows.every((row) => row.aisle === null)).toBe(true);
});

test("two racks at one place are drawn beside each other", () => {
  const { rows } = arrange(FLOOR.racks.slice(0, 2), new Map([[1, place(0, 0)], [2, place(0, 0)]]), []);
  expect(rows[0]!.racks.map(({ column }) => column)).toEqual([0, 1]);
});

test("arrow keys go to the neighbour, across an aisle to the nearest column, and stay at an edge", () => {
  const floor = arrange(FLOOR.racks, PLACES, AISLES);
  expect(moved(floor, 1, "ArrowRight")).toBe(2);
  expect(moved(floor, 1, "ArrowLeft")).toBe(1);
  expect(moved(floor, 3, "ArrowDown")).toBe(5);
  expect(moved(floor, 4, "ArrowUp")).toBe(1);
  expect(moved(floor, 4, "ArrowDown")).toBe(4);
  expect([moved(floor, 2, "Home"), moved(floor, 2, "End"), moved(floor, 2, "Enter"), moved(floor, 99, "ArrowUp")]).toEqual([1, 3, null, null]);
});

// ---- what if ----

type OfSite = Exclude<Question, RoomQuestion>;
const QUESTIONS: OfSite[] = [{ question: "feed_off", feed: 11, together: "feed" }, { question: "feed_off", feed: 11, together: "side" }, { question: "more_machines", rack: 3, model: "hgx-h100", count: 4 }, { question: "inlet", by_c: 3 }, { question: "full_load" }];
const query = (changes: Record<string, string | number | null>) => new URLSearchParams(Object.entries(changes).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])));

test("two questions are about a whole site, the others name what they are about", () => {
  expect(QUESTIONS.map((each) => "site" in queryOf(each, 1))).toEqual([false, false, false, true, true]);
});

test.each([...QUESTIONS, { question: "room_left", model: "hgx-h100" } as const].map((each) => [each.question, each] as const))("the question %s survives the address", (_, question) => {
  expect(questionOf(query(addressOf(question)))).toEqual(question);
});

test("half a question asks nothing, and going back leaves nothing in the address", () => {
  for (const text of ["", "if=feed_off", "if=more_machines&if_rack=3&if_count=4", "if=inlet&by_c=x", "if=flood"]) expect(questionOf(new URLSearchParams(text)), text).toBeNull();
  expect(Object.values(addressOf(null)).every((value) => value === null)).toBe(true);
});

test("the answer is drawn as it would be and as it is, and the sum of a row follows", () => {
  const [then, now] = [answerLayer(ANSWER, true), answerLayer(ANSWER, false)];
  expect(then.tile(ok, FLOOR)).toMatchObject({ text: "43.0", look: "over" });
  expect(then.tile(ok, FLOOR).was).toBeCloseTo(0.89, 2);
  expect(then.tile(ok, FLOOR).words).toContain("now 37.4 kW");
  expect(now.tile(ok, FLOOR)).toMatchObject({ text: "37.4", look: "step3", was: null });
  expect(then.tile(unknown, FLOOR).look).toBe("unknown");
  expect(then.rowText?.([ok, unknown])).toBe("≥ 43.0");
  expect(now.rowText).toBeUndefined();
});

const warm = (state: LoadState, state_before: LoadState, before: number | null, after: number | null): WhatIf => ({ ...ANSWER, question: "inlet", unit: "°C", racks: [{ id: 1, name: "A01", state, state_before, before, after }] });

test("a warmer inlet is drawn in degrees, as near and over as the service says of its machines and GPUs", () => {
  const layer = answerLayer(warm("over", "near", 19.4, 23.4), true);
  expect(layer.tile(ok, FLOOR)).toMatchObject({ text: "23.4", look: "over", words: "Inlet 23.4 °C, over a limit; now 19.4 °C" });
  expect(answerLayer(warm("over", "near", 19.4, 23.4), false).tile(ok, FLOOR)).toMatchObject({ text: "19.4", look: "near" });
  expect(["ok", "near", "unknown"].map((state) => answerLayer(warm(state as LoadState, "ok", 25, 28), true).tile(ok, FLOOR).look)).toEqual(["step3", "near", "unknown"]);
  expect([21, 23, 25].map((after) => answerLayer(warm("ok", "ok", 19, after), true).tile(ok, FLOOR).look)).toEqual(["step1", "step2", "step3"]);
  expect(layer.bands(FLOOR).map((band) => band.word)).toEqual(["below 22 °C", "22–24", "24 and more", "near a limit", "over a limit", "no value"]);
});

test("of warmer air, a rack whose inlet is not known or that has no machine is no fine one", () => {
  expect(answerLayer(warm("unknown", "unknown", null, null), true).tile(ok, FLOOR)).toMatchObject({ text: "?", fill: null, look: "unknown", words: "Inlet not known" });
  expect(answerLayer(warm("unknown", "unknown", 20, 23), true).tile(ok, FLOOR).words).toContain("not all of its machines and GPUs are known");
  expect([true, false].map((then) => answerLayer(warm("ok", "ok", 20, 23), then).tile(near, FLOOR).look)).toEqual(["unknown", "unknown"]);
});

test("what trips is said first and links to its feed; the sum counts what is not known", () => {
  expect(outcomes({ ...ANSWER, lost: [{ id: 7, name: "hgx-1" }] }).map((row) => row.title)).toEqual(["Feed a01-a trips", "A01 is over its limit", "hgx-1 goes dark"]);
  expect(outcomes(ANSWER)[0]!.href).toBe("/power/feeds/11");
  expect(sumWords(ANSWER)).toBe("1 breaker trips; 1 over its limit; 1 device not known");
  expect(sumWords({ ...ANSWER, trips: [], unknown: 0 })).toBe("nothing trips");
  expect(sumWords({ ...ANSWER, trips: [ANSWER.trips[1]!, ANSWER.trips[1]!], unknown: 0 })).toBe("nothing trips; 2 over their limit");
});

test("a machine outside its class is not said to slow down", () => {
  const [cold, hot] = [{ id: 7, name: "hgx-1" }, { id: 8, name: "hgx-2" }];
  const answer = { ...ANSWER, trips: [], outside: [cold], slowed: [hot], unknown: 0 };
  expect(outcomes(answer).map((row) => [row.title, row.tone])).toEqual([["hgx-1 leaves the range of its class", "over"], ["hgx-2 slows down", "near"]]);
  expect(sumWords(answer)).toBe("nothing trips; 1 machine outside its class; 1 machine slows down");
  expect(sumWords({ ...answer, outside: [cold, hot], slowed: [] })).toBe("nothing trips; 2 machines outside their class");
});

// ---- room left ----

test("racks with the most room come first, those of which nobody knows last, each with what stops the next one", () => {
  expect(roomRows(ROOM).map(({ name, count, fit, word, limit, sign, free }) => [name, count, fit, word, limit, sign, free])).toEqual([
    ["B02", "3", "by itself, 1 with all", "Feed:", "b02-a at 104 % when the other side fails", "", "31.0 kW free"],
    ["A01", "1", "fits", "", "then no units are free; on one side only", "", "14.0 kW free"],
    ["A02", "0", "fit", "Phase:", "pdu-a02-a L1 at 103 %", "▲", "2.0 kW free"],
    ["B01", "?", "room not known", "Not known:", "what b01-a carries is not known", "?", "? kW free"],
  ]);
});

test("room is drawn on the floor as counts: none is marked, and not known is no nought", () => {
  const layer = roomLayer(ROOM);
  expect(FLOOR.racks.map((rack) => [rack.name, layer.tile(rack, FLOOR).text, layer.tile(rack, FLOOR).look])).toEqual([
    ["A01", "1", "step1"], ["A02", "0", "near"], ["A03", "0", "near"], ["B01", "?", "unknown"], ["B02", "3", "step2"],
  ]);
  expect(layer.tile(over, FLOOR).words).toBe("room for 0 more; no free units are left");
  expect([layer.rowText!(FLOOR.racks.slice(0, 3)), layer.rowText!(FLOOR.racks.slice(3))]).toEqual(["1", "≥ 3"]);
  expect(counted(layer, FLOOR).reduce((sum, band) => sum + band.count, 0)).toBe(FLOOR.racks.length);
});
