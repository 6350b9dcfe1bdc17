import { render } from "svelte/server";
import { afterEach, expect, test, vi } from "vitest";
import { match } from "../router.svelte.ts";
import Decisions from "./Decisions.svelte";
import BadList from "./BadList.svelte";
import SweepBar from "./SweepBar.svelte";
import * as calls from "./calls.ts";
import { countOf, familiesOf } from "./catalogue.ts";
import { bodyOf, type Decided, effectWords, holdsAt, overviewOf, placeWords } from "./decisions.ts";
import { backOf, judgingOf, moveOf } from "./kernel.ts";
import { badByCheck, badWords, counts, gridOf, squareWords, verdictAt, walk } from "./matrix.ts";
import { squareAt, SQUARE } from "./matrixDraw.ts";
import { CHECK_ROUTES, CHECK_SECTIONS } from "./sections.ts";
import { lanesOf, listOf, markWords, rangeOf, stepFrom, titleOf, windowOf } from "./timeline.ts";
import type { CatalogueItem, KernelLine, MatrixDocument, Override, Silence, Sweep, Timeline, TimelineItem } from "./shapes.ts";
import { endsSoon, missedWords, periodWords, rungWord, severity, sweepTone, untilWord } from "./words.ts";

afterEach(() => vi.unstubAllGlobals());

// ---- addresses ----

test("every tab leads to a page of the checks, and a check is found by its id", () => {
  for (const section of CHECK_SECTIONS) expect(section.routes).toContain(match(section.href).name);
  for (const name of CHECK_ROUTES) expect(name).not.toBe("nowhere");
  expect(match("/checks/catalogue/gpu.row_remap")).toEqual({ name: "check", id: "gpu.row_remap" });
  expect(match("/checks/catalogue/fabricmanager")).toEqual({ name: "check", id: "fabricmanager" });
  expect(match("/checks/catalogue/nhc/Disk-full")).toEqual({ name: "check", id: "nhc/Disk-full" });
});

// ---- matrix ----

const MATRIX: MatrixDocument = {
  checks: [
    { id: "gpu.count", title: "Every GPU is there", family: "GPU" },
    { id: "gpu.ecc", title: "GPU memory error correction", family: "GPU" },
    { id: "disk.space", title: "File systems have room", family: "disk space" },
  ],
  machines: [
    { id: 1, name: "hgx-a01-01", state: "ready", cells: "ooo" },
    { id: 2, name: "hgx-a01-02", state: "drained", cells: "fwo" },
    { id: 3, name: "hgx-b01-01", state: "ready", cells: "u.i" },
  ],
  count: 3,
  page: 1,
  pages: 1,
};
const ALL = { family: "", state: "", search: "", bad: false };

test("a square that nobody judged is no verdict at all, and a letter of a newer server is none either", () => {
  expect([..."fuwio.x"].map((letter) => verdictAt(letter, 0))).toEqual(["fail", "unknown", "warn", "info", "ok", null, null]);
  expect(verdictAt("o", 5)).toBeNull();
});

test("only bad keeps machines and checks with something not well, the unknown among them", () => {
  const grid = gridOf(MATRIX, { ...ALL, bad: true });
  expect(grid.rows.map((row) => row.id)).toEqual([2, 3]);
  expect(grid.columns.map((column) => column.id)).toEqual(["gpu.count", "gpu.ecc"]);
});

test("a filter by family keeps each letter with its own check", () => {
  const grid = gridOf(MATRIX, { ...ALL, family: "disk space" });
  expect(grid.columns.map((column) => [column.id, column.letter, column.first])).toEqual([["disk.space", 2, true]]);
  expect(squareWords(grid, { row: 2, column: 0 })).toBe("hgx-b01-01, File systems have room: Info");
  expect(squareWords(gridOf(MATRIX, ALL), { row: 2, column: 1 })).toBe("hgx-b01-01, GPU memory error correction: not evaluated");
});

test("a word finds machines by name, and checks where no machine is called so", () => {
  const names = (search: string) => {
    const grid = gridOf(MATRIX, { ...ALL, search });
    return [grid.rows.length, grid.columns.map((column) => column.id)];
  };
  expect(names("b01")).toEqual([1, ["gpu.count", "gpu.ecc", "disk.space"]]);
  expect(names("ECC")).toEqual([3, ["gpu.ecc"]]);
  expect(names("nothing of that kind")).toEqual([0, []]);
  expect(gridOf(MATRIX, { ...ALL, state: "drained" }).rows.map((row) => row.id)).toEqual([2]);
});

test("the checks of a family stand side by side, each with its own letter, and the first is marked", () => {
  const mixed = gridOf({ ...MATRIX, checks: [MATRIX.checks[0]!, MATRIX.checks[2]!, MATRIX.checks[1]!] }, ALL);
  expect(mixed.columns.map((column) => [column.id, column.letter, column.first])).toEqual([["gpu.count", 0, true], ["gpu.ecc", 2, false], ["disk.space", 1, true]]);
  expect(gridOf(MATRIX, ALL).columns.map((column) => column.first)).toEqual([true, false, true]);
});

test("the legend counts what is shown; what was not judged counts nowhere", () => {
  expect(counts(gridOf(MATRIX, ALL))).toEqual({ fail: 1, unknown: 1, warn: 1, info: 1, ok: 4 });
});

test("keys walk to the edges and no further", () => {
  const grid = gridOf(MATRIX, ALL);
  expect(walk(grid, { row: 0, column: 0 }, "ArrowLeft", 2)).toEqual({ row: 0, column: 0 });
  expect(walk(grid, { row: 0, column: 0 }, "PageDown", 9)).toEqual({ row: 2, column: 0 });
  expect(walk(grid, { row: 1, column: 0 }, "End", 2)).toEqual({ row: 1, column: 2 });
  expect(walk(grid, { row: 1, column: 0 }, "x", 2)).toBeNull();
  expect(walk(gridOf(MATRIX, { ...ALL, search: "none" }), { row: 0, column: 0 }, "ArrowDown", 2)).toBeNull();
});

test("a point beside the grid is no square", () => {
  const grid = gridOf(MATRIX, ALL);
  expect(squareAt(grid, SQUARE.w * 1.5, SQUARE.h * 2.5)).toEqual({ row: 2, column: 1 });
  expect([squareAt(grid, -1, 0), squareAt(grid, SQUARE.w * 3.1, 0), squareAt(grid, 0, SQUARE.h * 3.1)]).toEqual([null, null, null]);
});

test("on a phone checks come by how many machines fail them, with the worst machine first", () => {
  const matrix: MatrixDocument = { ...MATRIX, machines: [...MATRIX.machines, { id: 4, name: "hgx-b01-02", state: "ready", cells: "wfo" }] };
  const bad = badByCheck(gridOf(matrix, ALL));
  expect(bad.map((each) => [each.check.id, each.machines.map((machine) => machine.id)])).toEqual([["gpu.count", [2, 3, 4]], ["gpu.ecc", [4, 2]]]);
  expect(badWords(bad[0]!.machines)).toBe("1 fail, 1 unknown, 1 warning");
  const shown = render(BadList, { props: { grid: gridOf(matrix, ALL) } }).body;
  expect(shown).toContain("/machines/4");
  expect(render(BadList, { props: { grid: gridOf({ ...MATRIX, machines: [MATRIX.machines[0]!] }, ALL) } }).body).toContain("Nothing is bad here");
});

test("a matrix of several pages is put together in their order", async () => {
  const machines = Array.from({ length: 1_101 }, (_, id) => ({ id, name: `m${id}`, state: "ready", cells: "ooo" }));
  const asked: string[] = [];
  vi.stubGlobal("fetch", ({ url }: Request) => {
    asked.push(url);
    const page = Number(new URL(url).searchParams.get("page") ?? 1);
    return Promise.resolve(new Response(JSON.stringify({ ...MATRIX, machines: machines.slice((page - 1) * 100, page * 100), count: 1_101, page, pages: 12 })));
  });
  const found = await calls.matrix(7);
  expect(asked).toHaveLength(12);
  expect(asked.every((url) => url.includes("site=7"))).toBe(true);
  expect(found.machines.map((machine) => machine.id)).toEqual(machines.map((machine) => machine.id));
});

// ---- catalogue ----

const check = (id: string, more: Partial<CatalogueItem> = {}): CatalogueItem => ({
  id, family: "GPU", title: id, part: "gpu", kind: "level", needs: "gpus", severity: "major", start_level: 3, advice: "", source: "", thresholds: {},
  fault_classes: [], audit_mode: false, overrides: 0, silences: 0, failing: 0, unknown: 0, ...more,
});

test("checks are shown by family, narrowed by what is failing, silenced or observed and by every word", () => {
  const checks = [check("gpu.a", { failing: 2 }), check("disk.b", { family: "disk", silences: 1, advice: "Replace the drive" }), check("gpu.c", { audit_mode: true })];
  expect(familiesOf(checks, null, "").map((family) => [family.name, family.checks.map((each) => each.id)])).toEqual([["GPU", ["gpu.a", "gpu.c"]], ["disk", ["disk.b"]]]);
  expect(familiesOf(checks, "failing", "").flatMap((family) => family.checks.map((each) => each.id))).toEqual(["gpu.a"]);
  expect(familiesOf(checks, null, "drive replace").map((family) => family.name)).toEqual(["disk"]);
  expect([countOf(checks, "failing"), countOf(checks, "silenced"), countOf(checks, "observed"), countOf(checks, "adjusted")]).toEqual([1, 1, 1, 0]);
});

test("severities and rungs of a newer server are still readable", () => {
  expect([severity("critical").word, severity("odd_one").word]).toEqual(["Critical", "Odd one"]);
  expect([rungWord(0), rungWord(3), rungWord(99)]).toEqual(["A note", "Reboot", "Level 99"]);
});

// ---- decisions ----

const NOW = Date.parse("2026-11-21T12:00:00Z");
const at = (days: number): string => new Date(NOW + days * 86_400_000).toISOString();
const scoped = { id: 1, check: "gpu.ecc", reason: "known", owner: "olga", expires_at: null, created_by: "olga", created_at: at(-1), ended_at: null, ended_by: "", active: true, site: 1, model: null, machine: null, about: "North" };
const SITES = [{ id: 1, name: "North" }];
const override = (more: Partial<Override> = {}): Decided => ({ kind: "overrides", ...scoped, scope: "machine", machine: 5, about: "hgx-a01-01", thresholds: { max_c: 90 }, ...more });
const silence = (more: Partial<Silence> = {}): Decided => ({ kind: "silences", ...scoped, scope: "site", part: "", expires_at: at(1), ...more });
const observe: Decided = { kind: "audit-mode", id: 3, check: "gpu.ecc", reason: "new", owner: "olga", expires_at: null, created_by: "olga", created_at: at(-1), ended_at: null, ended_by: "", active: true, site: null };

test("a decision says where it holds and what it does", () => {
  expect([override(), silence(), override({ scope: "model", model: 2, machine: null, about: "HGX H100 at North" }), observe].map((each) => placeWords(each, SITES))).toEqual([
    "Machine hgx-a01-01", "Site North", "Model HGX H100 at North", "Everywhere",
  ]);
  expect(placeWords({ ...observe, site: 1 } as Decided, SITES)).toBe("Site North");
  expect([holdsAt(observe, 1), holdsAt(override(), 1), holdsAt(override(), 2), holdsAt(override(), null)]).toEqual([true, true, false, true]);
  expect([override(), silence(), silence({ part: "GPU 3" }), observe].map(effectWords)).toEqual(["max c 90", "Silences the whole check", "Silences GPU 3", "Opens no fault"]);
});

test("undo makes the very same decision again", () => {
  expect(bodyOf(override())).toEqual({ check: "gpu.ecc", reason: "known", owner: "olga", expires_at: null, scope: "machine", site: null, model: null, machine: 5, thresholds: { max_c: 90 } });
  expect(bodyOf(silence({ part: "GPU 3" }))).toMatchObject({ scope: "site", site: 1, part: "GPU 3", expires_at: at(1) });
  expect(bodyOf(observe)).toEqual({ check: "gpu.ecc", reason: "new", owner: "olga", expires_at: null, site: null });
});

test("what ends within three days stands apart, first what ends first; what is over is left out", () => {
  const { soon, later } = overviewOf([override({ id: 9 }), silence({ id: 2, expires_at: at(2) }), silence({ id: 4, expires_at: at(1) }), silence({ id: 5, expires_at: at(9) }), silence({ id: 6, active: false })], NOW);
  expect(soon.map((each) => each.id)).toEqual([4, 2]);
  expect(later.map((each) => each.id)).toEqual([5, 9]);
  expect([untilWord(null, NOW), untilWord(at(2), NOW), untilWord(at(-1), NOW)]).toEqual(["until it is ended", "2 d left", "expired"]);
  expect([endsSoon(null, NOW), endsSoon(at(-1), NOW), endsSoon(at(4), NOW), endsSoon(at(2), NOW)]).toEqual([false, false, false, true]);
});

test("a list of decisions tells owner, place and end, and offers nothing to those who may not change them", () => {
  const shown = render(Decisions, { props: { decided: [silence({ part: "GPU 3" })], named: true, changed: async () => undefined } }).body;
  for (const words of ["gpu.ecc", "olga", "Site North", "Silences GPU 3", "known"]) expect(shown).toContain(words);
  expect(shown).not.toContain("decision-end");
});

test("ending and making decisions go to the route of their kind", async () => {
  const sent: [string, string, unknown][] = [];
  vi.stubGlobal("document", { cookie: "" });
  vi.stubGlobal("fetch", async (request: Request) => {
    const text = await request.text();
    sent.push([request.method, new URL(request.url).pathname, text ? JSON.parse(text) : null]);
    return new Response(request.method === "DELETE" ? null : "{}", { status: request.method === "DELETE" ? 204 : 201 });
  });
  await calls.end("silences", 4);
  await calls.decide("audit-mode", bodyOf(observe));
  expect(sent.map(([method, url]) => `${method} ${url}`)).toEqual(["DELETE /api/health/silences/4/", "POST /api/health/audit-mode/"]);
  expect(sent[1]?.[2]).toMatchObject({ check: "gpu.ecc", site: null });
});

// ---- sweeps ----

const sweep = (more: Partial<Sweep> = {}): Sweep => ({
  id: 7, site: 1, kind: "scheduled", status: "finished", slot_at: null, started_at: at(0), finished_at: at(0), duration_s: 9, machines: 511, reachable: 511, checked: 511, shards_total: 8,
  shards_done: 8, shards_failed: 0, requested_by: "", ...more,
});

test("a sweep says what it missed: machines that gave no answer apart from those not checked", () => {
  expect(missedWords(sweep())).toBe("");
  expect(missedWords(sweep({ reachable: 508 }))).toBe("3 gave no answer");
  expect(missedWords(sweep({ status: "late", checked: 447, reachable: 440, shards_failed: 1 }))).toBe("7 gave no answer, 64 not checked, 1 share given up");
  expect(missedWords(sweep({ status: "running", checked: 64, reachable: 64 }))).toBe("");
  expect([sweep(), sweep({ reachable: 1 }), sweep({ shards_failed: 1 }), sweep({ status: "late" }), sweep({ status: "running" })].map(sweepTone)).toEqual(["ok", "warn", "fail", "fail", "accent"]);
});

test("a period that is longer than it was set says what it was set to and how long a sweep takes", () => {
  expect(periodWords({ period_s: 300, set_period_s: 300, takes_s: 16 })).toBe("every 5 min");
  expect(periodWords({ period_s: 40, set_period_s: 30, takes_s: 28.4 })).toBe("every 40 s instead of 30 s: a sweep takes 28 s on this server");
});

test("progress tells numbers to those who do not see the bar, and a sweep of nothing is no error", () => {
  expect(render(SweepBar, { props: { sweep: sweep({ status: "running", checked: 128, reachable: 120 }) } }).body).toContain("128 of 511 checked, 120 reachable");
  expect(render(SweepBar, { props: { sweep: sweep({ machines: 0, checked: 0, reachable: 0 }) } }).body).not.toContain("NaN");
});

// ---- kernel lines ----

const line = (more: Partial<KernelLine> = {}): KernelLine => ({
  id: 1, site: 1, model: { id: 1, slug: "hgx", name: "HGX" }, image: "", shape: "x # failed", example: "x 1 failed", first_seen: at(-1), last_seen: at(0), machines: { count: 3, names: [] }, state: "new", verdict: "", reason: "", owner: "", expires_at: null, decided_by: "", decided_at: null, ...more,
});
const key = (text: string, more = {}) => ({ key: text, ctrlKey: false, metaKey: false, altKey: false, ...more });

test("keys judge only what can be judged so, and leave the browser's own alone", () => {
  expect(["a", "B", "r", "x"].map((each) => judgingOf(line(), key(each)))).toEqual(["accept", "bad", null, null]);
  expect(["a", "b", "r"].map((each) => judgingOf(line({ state: "accepted" }), key(each)))).toEqual([null, "bad", "reopen"]);
  expect(judgingOf(line(), key("a", { ctrlKey: true }))).toBeNull();
  expect(judgingOf(undefined, key("a"))).toBeNull();
  expect([moveOf("j", 0, 2), moveOf("ArrowDown", 1, 2), moveOf("k", 0, 2), moveOf("x", 0, 2), moveOf("j", 0, 0)]).toEqual([1, 1, 0, null, null]);
});

test("undo gives a line back the judgement it had", () => {
  expect(backOf(line())).toEqual({ do: "reopen" });
  expect(backOf(line({ state: "accepted", reason: "noise", owner: "olga", expires_at: at(9) }))).toEqual({ do: "accept", body: { reason: "noise", owner: "olga", expires_at: at(9) } });
  expect(backOf(line({ state: "bad", verdict: "warn", reason: "dies" }))).toEqual({ do: "bad", body: { verdict: "warn", reason: "dies" } });
});

// ---- timeline ----

const item = (hours: number, kind: string, more: Partial<TimelineItem> = {}): TimelineItem => ({ at: at(hours / 24), until: null, kind, title: kind, detail: "", link: "", ...more });
const TIMELINE: Timeline = {
  from: at(-1), to: at(0),
  lanes: [
    { lane: "verdicts", items: [item(-12, "fail"), item(-11.9, "ok"), item(-2, "warn")], more: false },
    { lane: "states", items: [item(-20, "ready"), item(-6, "drained")], more: false },
    { lane: "firmware", items: [], more: false },
    { lane: "tickets", items: [item(-6, "open", { until: at(-0.1) })], more: false },
  ],
};

test("marks that would lie on each other are one that shows the worst of them", () => {
  const [verdicts] = lanesOf(TIMELINE, NOW - 86_400_000, NOW, 480);
  expect(verdicts?.marks.map((mark) => [Math.round(mark.x), mark.cell, mark.items.length])).toEqual([[240, "failed", 2], [440, "suspect", 1]]);
  expect(markWords("verdicts", verdicts!.marks[0]!)).toBe("2 at once: fail; ok");
});

test("a state lasts to the next one, the last to the end of the axis; a ticket has its own end", () => {
  const lanes = lanesOf(TIMELINE, NOW - 86_400_000, NOW, 480);
  expect(lanes[1]?.marks.map((mark) => [Math.round(mark.x), Math.round(mark.width ?? -1), mark.cell])).toEqual([[80, 280, "allocated"], [360, 120, "drained"]]);
  expect(titleOf("states", TIMELINE.lanes[1]!.items[1]!)).toBe("Drained");
  expect(lanes[3]?.marks.map((mark) => Math.round(mark.width ?? -1))).toEqual([72]);
});

test("a job that has no end yet runs to the end of the axis", () => {
  const job = item(-6, "running");
  const [lane] = lanesOf({ ...TIMELINE, lanes: [{ lane: "jobs", items: [job], more: false }] }, NOW - 86_400_000, NOW, 480);
  expect(lane?.marks.map((mark) => [Math.round(mark.x), Math.round(mark.width ?? -1), mark.cell])).toEqual([[360, 120, "provisioning"]]);
});

test("what began before the axis starts at its edge", () => {
  const lanes = lanesOf({ ...TIMELINE, lanes: [{ lane: "states", items: [item(-90, "ready")], more: false }] }, NOW - 86_400_000, NOW, 480);
  expect(lanes[0]?.marks.map((mark) => [mark.x, mark.width])).toEqual([[0, 480]]);
});

test("arrow keys go along a lane and over empty lanes to the nearest mark", () => {
  const lanes = lanesOf(TIMELINE, NOW - 86_400_000, NOW, 480);
  expect(stepFrom(lanes, { lane: 0, mark: 0 }, "ArrowRight")).toEqual({ lane: 0, mark: 1 });
  expect(stepFrom(lanes, { lane: 0, mark: 1 }, "ArrowRight")).toBeNull();
  expect(stepFrom(lanes, { lane: 0, mark: 1 }, "ArrowDown")).toEqual({ lane: 1, mark: 1 });
  expect(stepFrom(lanes, { lane: 1, mark: 1 }, "ArrowDown")).toEqual({ lane: 3, mark: 0 });
  expect(stepFrom(lanes, { lane: 3, mark: 0 }, "ArrowDown")).toBeNull();
});

test("the list holds every item once, newest first, and can be narrowed to a lane", () => {
  const items = listOf(TIMELINE, null).flatMap((day) => day.items);
  expect(items).toHaveLength(6);
  expect(items.map((each) => each.at)).toEqual([...items.map((each) => each.at)].sort().reverse());
  expect(listOf(TIMELINE, "firmware")).toEqual([]);
});

test("the axis ends now unless the address says otherwise, never in the future", () => {
  expect(windowOf("24h", null, NOW)).toEqual({ from: NOW - 86_400_000, to: NOW });
  expect(windowOf("7d", at(-7), NOW)).toEqual({ from: NOW - 14 * 86_400_000, to: NOW - 7 * 86_400_000 });
  expect(windowOf("24h", at(5), NOW).to).toBe(NOW);
  expect([rangeOf("90d"), rangeOf("1y"), rangeOf(null)]).toEqual(["90d", "24h", "24h"]);
});
