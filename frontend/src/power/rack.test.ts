import { expect, test } from "vitest";
import { sidesOf } from "./feedSides.ts";
import { FEED, RACK, rackFeed } from "./fixtures.ts";
import { byCause, restWords } from "./findings.ts";
import { failsOf, oneLineOf } from "./oneLine.ts";
import { pictureOf, profileWords, UNIT_PX } from "./profile.ts";
import { breakerWords, failingOf, phaseWords, scaleOf, stripsOf } from "./strips.ts";
import type { Carries, Finding } from "./shapes.ts";
import { kw, least, money, power, shortName, unitsText } from "./words.ts";

// ---- numbers ----

test("watts read as kilowatts with one digit, whole from a hundred on, and never as nought where they are not known", () => {
  expect([kw(37_400), kw(449_400), kw(0), kw(null), kw(99_970)]).toEqual(["37.4", "449", "0.0", "?", "100"]);
  expect([power(4_060_000), power(null), least(true, "18.9")]).toEqual(["4.06 MW", "not known", "≥ 18.9"]);
});

test("names and units as they are printed", () => {
  expect([shortName("hgx-d14-01"), shortName("storage"), unitsText(33, 34), unitsText(7, 7)]).toEqual(["01", "age", "U33–34", "U7"]);
  expect([money(16_787.4, "EUR"), money(0.142, "EUR", 3), money(null, "EUR"), money(12, "points")]).toEqual(["€16,787", "€0.142", "not known", "12 points"]);
});

// ---- strips ----

test("a peak is a mark on its own bar and a number with its word, on the scale of all feeds", () => {
  const [a, b] = stripsOf([rackFeed("A", [4_000], { peak_w: 71_000 }), rackFeed("B", [4_000], { peak_w: null })]);
  expect(a!.peak).toBeCloseTo((100 * 71_000) / scaleOf([rackFeed("A", [], { peak_w: 71_000 })]));
  expect([a!.now, a!.most]).toEqual(["19.9 of 57.5 kW", "peak 71.0"]);
  expect([b!.peak, b!.most]).toEqual([null, ""]);
  expect(oneLineOf(FEED).stations.map(({ peak, peakShare }) => [peak, peakShare])).toEqual([["peak 460", 0.5], ["peak 24.1", null], ["peak 23.0", 0.4], ["", null]]);
});

test("both feeds are drawn on one scale that holds every limit", () => {
  expect(scaleOf(RACK.feeds)).toBeGreaterThanOrEqual(57_500);
  const [a, b] = stripsOf(RACK.feeds);
  expect(a!.limit).toBe(b!.limit);
  expect(a!.end).toBeGreaterThan(b!.end);
});

test("the segments of a strip follow each other and end at what the PDU measures", () => {
  const [a] = stripsOf([rackFeed("A", [4_000, 4_000], { now_w: 12_000, other_w: 1_000 })]);
  expect(a!.segments.map((segment) => segment.look)).toEqual(["a", "b", "other", "other"]);
  a!.segments.slice(1).forEach((segment, i) => expect(segment.left).toBeCloseTo(a!.segments[i]!.left + a!.segments[i]!.width));
  expect(a!.end).toBeCloseTo((100 * 12_000) / scaleOf([rackFeed("A", [])]));
  expect(a!.segments.at(-1)!.words).toContain("of no known machine");
});

test("a machine that draws nothing from a feed is seen", () => {
  const idle = stripsOf(RACK.feeds)[1]!.segments.find((segment) => segment.look === "idle");
  expect(idle?.words).toBe("hgx-d14-04 0.0 kW");
  expect(idle!.width).toBeGreaterThan(1);
});

test("a machine whose share is not known is named, not drawn as nought", () => {
  const [a] = stripsOf([rackFeed("A", [4_000, null])]);
  expect(a!.missing).toEqual(["hgx-d14-02"]);
  expect(a!.segments.filter((segment) => segment.key.startsWith("m"))).toHaveLength(1);
});

test("a feed that does not answer has no number", () => {
  const [a] = stripsOf([rackFeed("A", [null], { now_w: null, other_w: null })]);
  expect([a!.now, a!.segments.length]).toEqual(["not known", 0]);
});

test("the other feed failing is said once where both would say the same", () => {
  expect(failingOf(RACK.feeds).map((each) => each.text)).toEqual(["if a side fails: 37.4 kW, 65 %: it holds"]);
  const differ = [rackFeed("A", []), rackFeed("B", [], { limit_w: 30_000, holds: false })];
  expect(failingOf(differ).map((each) => [each.side, each.text, each.over])).toEqual([["A", "if B fails: 37.4 kW, 65 %: it holds", false], ["B", "if A fails: 37.4 kW, 125 %: it is over its limit", true]]);
});

test("a feed trips above the size of its breaker alone, not above what it may carry for long", () => {
  const said = (capacity_w: number | null) => failingOf([rackFeed("A", [], { limit_w: 30_000, capacity_w, holds: false }), rackFeed("B", [])])[0]!;
  expect([37_500, 37_300, null].map((capacity) => said(capacity).text)).toEqual(["it is over its limit", "it trips", "it is over its limit"].map((does) => `if B fails: 37.4 kW, 125 %: ${does}`));
  expect(said(37_500).over).toBe(true);
});

test("whether a feed holds is not guessed, and one feed alone has no other", () => {
  expect(failingOf([rackFeed("A", [], { holds: null }), rackFeed("B", [], { carries_if_other_fails_w: null, holds: null })]).map((each) => [each.text, each.over])).toEqual([
    ["if B fails: 37.4 kW, 65 %: whether it holds is not known", null],
    ["if A fails: not known", null],
  ]);
  expect(failingOf([rackFeed("A", [])])).toEqual([]);
});

test("the fullest phase is named; with one not known nothing is said of balance", () => {
  const { phases } = RACK.feeds[0]!;
  expect(phaseWords(phases)).toBe("L1 10 % up");
  expect(phaseWords(phases.map((phase) => ({ ...phase, current_a: 20 })))).toBe("in balance");
  expect(phaseWords([...phases.slice(1), { name: "L1", current_a: null, peak_a: null, limit_a: 80, reason: "late" }])).toBe("");
});

test("breakers say what they may carry, and that of some it is not known", () => {
  const breaker = (limit_a: number | null) => ({ name: "B1", current_a: 9, peak_a: null, limit_a, reason: "" });
  expect([[16, 16], [12.8, 16], [null, null], [16, null]].map((limits) => breakerWords(limits.map(breaker)))).toEqual([
    "limit 16 A",
    "limits 12.8 to 16 A",
    "their size is not known",
    "limit 16 A; of 1 not known",
  ]);
});

// ---- by height ----

test("the inlet is drawn by height, and its line breaks where no sensor answered", () => {
  const picture = pictureOf(RACK, 408);
  expect(picture.now.match(/M/g)).toHaveLength(2);
  expect(picture.dots.map((dot) => dot.hot)).toEqual([false, false, true]);
  expect(picture.dots[0]!.y).toBeGreaterThan(picture.dots[2]!.y);
});

test("the elevation and the open gap stand at the same heights as the line", () => {
  const picture = pictureOf(RACK, 408);
  expect(picture.gaps).toMatchObject([{ h: 2 * UNIT_PX, text: "U33–34 open", harms: true }]);
  const top = picture.blocks.find((block) => block.title === "hgx-d14-04")!;
  const dot = picture.dots[2]!;
  expect(dot.y > top.y && dot.y < top.y + top.h).toBe(true);
});

test("the picture shows the benefit that the advice names, at the height that has it", () => {
  const { benefit } = pictureOf(RACK, 408);
  expect(benefit?.text).toBe("−3.1");
  expect(benefit!.to).toBeLessThan(benefit!.x);
  expect(pictureOf({ ...RACK, profile: RACK.profile.map((point) => ({ ...point, closed_c: null })) }, 408).benefit).toBeNull();
});

test("the picture stays within its width on a phone and at a desk, also without any sensor", () => {
  for (const width of [280, 408, 620]) {
    for (const profile of [RACK.profile, []]) {
      const { plot, degrees, recommended } = pictureOf({ ...RACK, profile }, width);
      expect(plot.x + plot.w).toBeLessThanOrEqual(width);
      expect(degrees.every((degree) => degree.x <= plot.x + plot.w + 1)).toBe(true);
      expect(recommended).toBeGreaterThan(plot.x);
    }
  }
});

test("the picture is one sentence for who does not see it", () => {
  expect(profileWords(RACK)).toBe("Inlet by height: 22.1 °C at U2, 28.4 °C at U45; open: U33–34; 3.1 °C less with U33–34 closed");
  expect(profileWords({ ...RACK, profile: [] })).toBe("Inlet by height: no sensor answers");
});

test("an open gap that nobody feels is drawn quietly", () => {
  expect(pictureOf({ ...RACK, gaps: [] }, 408).gaps.map((gap) => gap.harms)).toEqual([false]);
  expect(pictureOf({ ...RACK, gaps: [{ ...RACK.gaps[0]!, benefit_c: 0.4 }] }, 408).gaps.map((gap) => gap.harms)).toEqual([false]);
});

// ---- one line ----

test("a feed is drawn from its panel to its machines, which are fanned out as far as there is room", () => {
  const line = oneLineOf(FEED);
  expect(line.stations.map((station) => station.symbol)).toEqual(["panel", "feed", "pdu", "machines"]);
  expect([line.machines.map((machine) => machine.label), line.more]).toEqual([["-01", "-02", "-03", "-04"], 2]);
});

test("a link without a limit has no bar, and a sum with a part unknown is at least so much", () => {
  const line = oneLineOf(FEED);
  expect(line.stations[1]).toMatchObject({ of: "limit not known", share: null });
  expect(line.stations[3]).toMatchObject({ now: "≥ 21.5", state: "unknown" });
});

test("what a link of this line carries then stands under it, the others in a list", () => {
  const line = oneLineOf(FEED);
  expect(line.stations[2]!.fails).toEqual({ text: "65 %", over: false, near: false, word: "" });
  expect(line.others.map((each) => each.name)).toEqual(["Board D-B", "d14-b"]);
});

test("a link over its limit trips only where the service says so, and one that nobody knows is no fine one", () => {
  const carries = FEED.if_fails.carries[0]!;
  const said = (more: Partial<Carries>) => { const { over, near, word } = failsOf({ ...carries, ...more }); return [over, near, word]; };
  expect(said({ share: 1.1, over: true, trips: false })).toEqual([true, false, "over its limit"]);
  expect(said({ share: 1.3, over: true, trips: true })).toEqual([true, false, "trips"]);
  expect(said({ share: 0.97 })).toEqual([false, true, ""]);
  expect(said({ share: null, over: null, trips: null })).toEqual([false, false, "not known"]);
});

test("below the floor the feeds of the chosen rack are shown, else the fullest of each side", () => {
  const item = (id: number, side: string, share: number | null) => ({ id, name: `f${id}`, side, panel: null, now_w: null, at_least: false, limit_w: null, share, peak_w: null, planned_w: null, state: "unknown" as const });
  const feeds = [item(1, "B", 0.3), item(2, "A", 0.4), item(3, "A", 0.7), item(4, "B", null)];
  expect(sidesOf(feeds, null).map((each) => each.id)).toEqual([3, 1]);
  expect(sidesOf(feeds, RACK).map((each) => each.name)).toEqual(["d14-a", "d14-b"]);
  expect(sidesOf([], null)).toEqual([]);
});

// ---- findings ----

const finding = (id: number, kind: string, subject: string, more: Partial<Finding> = {}): Finding => ({
  id, kind, title: kind, severity: "warn", subject: { kind: subject, id, name: `${subject}-${id}` }, text: "", todo: "", rack: null, incident: "", since: "2026-11-21T10:00:00Z", ...more,
});

test("what follows from one cause is folded below it, the cause itself before its machines", () => {
  const of = { incident: "feed:3" };
  const [cause, other] = byCause([finding(1, "psu.idle", "machine", of), finding(2, "brake.on", "machine", { ...of, severity: "bad" }), finding(9, "phase.imbalance", "pdu"), finding(3, "feed.lost", "feed", { ...of, severity: "bad" })]);
  expect([cause!.head.kind, cause!.rest.map((each) => each.kind)]).toEqual(["feed.lost", ["brake.on", "psu.idle"]]);
  expect(restWords(cause!.rest)).toBe("2 findings at 2 machines follow from it");
  expect([other!.head.kind, other!.rest]).toEqual(["phase.imbalance", []]);
});

test("all that is wrong with the cause itself stands beside it", () => {
  const subject = { kind: "cooling_unit", id: 4, name: "cdu-a" };
  const of = { incident: "cooling_unit:4", subject };
  const causes = byCause([finding(1, "loop.dew_point", "", { ...of, severity: "bad" }), finding(2, "leak", "", { ...of, severity: "bad" }), finding(3, "filter.dirty", "", of), finding(4, "inlet.hot", "machine", { incident: of.incident })]);
  expect(causes.map(({ head, rest }) => [head.kind, rest.map(({ kind }) => kind)])).toEqual([["loop.dew_point", ["inlet.hot"]], ["leak", []], ["filter.dirty", []]]);
});

test("what is wrong with one machine alone is listed one by one, the worst first", () => {
  const subject = { kind: "machine", id: 7, name: "hgx-7" };
  const of = { incident: "subject:machine:7", subject };
  expect(byCause([finding(1, "inlet.hot", "machine", of), finding(2, "air.class", "machine", { ...of, severity: "bad" })]).map(({ head, rest }) => [head.kind, rest.length])).toEqual([["air.class", 0], ["inlet.hot", 0]]);
});
