import { expect, test } from "vitest";
import type { MachineRow } from "../api/shapes.ts";
import { match } from "../router.svelte.ts";
import { actionsFor, actionsMatching, type MachineOnPage, PAGES, pagesFor, pieces, says } from "./commands.ts";
import { favouriteUrl, viewUrl } from "./kept.ts";
import { areasOf, indexOf, layerAt, momentOf, outAt, peakOf, type Strip } from "./past.ts";
import { capsOf, Presses, type Press, SHORTCUTS, type Shortcut, shortcutOf, TOGETHER_MS } from "./shortcuts.ts";

const press = (key: string, held: Partial<Press> = {}): Press => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...held });
const MACHINE: MachineOnPage = { kind: "machine", id: 7, name: "hgx-a01-01", site: 1, state: "ready" };

test("no key means two things in one scope, and those of every page begin no other", () => {
  for (const scope of ["map", "time"] as const) {
    const keys = SHORTCUTS.filter((each) => each.scope === scope).flatMap((each) => each.keys);
    expect(new Set(keys).size).toBe(keys.length);
  }
  const global = SHORTCUTS.filter(({ scope }) => scope === "everywhere" || scope === "go").flatMap((each) => each.keys as readonly string[]);
  expect(new Set(global).size).toBe(global.length);
  expect(global.filter((one) => global.some((other) => other.startsWith(`${one} `)))).toEqual([]);
});

test("two keys one after the other are one shortcut, and the first is forgotten", () => {
  const presses = new Presses();
  expect(presses.next(press("g"), 0)).toBeNull();
  expect(presses.next(press("t"), 300)).toBe("go-tickets");
  expect(presses.next(press("g"), 1_000)).toBeNull();
  expect(presses.next(press("t"), 1_001 + TOGETHER_MS)).toBeNull();
  expect(presses.next(press("k", { metaKey: true }), 9_000)).toBe("palette");
  expect(presses.next(press("k", { altKey: true, ctrlKey: true }), 9_100)).toBeNull();
});

test("the keys of the map are read from the table", () => {
  expect(shortcutOf(press("="), "map")).toBe("map-in");
  expect(shortcutOf(press("-", { ctrlKey: true }), "map")).toBeNull();
});

test("each place that a shortcut or the palette leads to exists", () => {
  const going = (SHORTCUTS as readonly Shortcut[]).flatMap((each) => each.href ?? []);
  for (const href of [...going, ...PAGES.map((page) => page.href!)]) expect(match(href.split("?")[0]!).name, href).not.toBe("nowhere");
});

test("caps of a shortcut", () => {
  expect(capsOf("Ctrl+k")).toEqual(["Ctrl", "K"]);
  expect(capsOf("g t")).toEqual(["G", "T"]);
  expect(capsOf("+")).toEqual(["+"]);
  expect(capsOf("ArrowUp")).toEqual(["↑"]);
});

test("pages are found by the beginnings of their words, by their own name first", () => {
  expect(pagesFor("spar").map((page) => page.href)).toEqual(["/spares"]);
  expect(pagesFor("hist")[0]!.title).toBe("History");
  expect(pagesFor("automation rules").map((page) => page.href)).toEqual(["/automation/rules"]);
  expect(pagesFor("")).toEqual([]);
});

test("only what the role allows is offered", () => {
  const keys = (role: boolean) => actionsFor(MACHINE, () => role).map((each) => each.key);
  expect(keys(true)).toEqual(["check", "test", "remedy", "theme"]);
  expect(keys(false)).toEqual(["theme"]);
});

test("what may be done to a ticket follows what the server says", () => {
  const ticket = { kind: "ticket" as const, key: "REP-1", title: "x", version: 1, may: ["take", "comment"], led: true };
  const found = actionsFor(ticket, () => true);
  expect(found.map((each) => each.run)).toEqual(["take", "led-off", "theme"]);
  expect(actionsMatching(found, "rep-1 led").map((each) => each.run)).toEqual([]);
  expect(actionsMatching(found, "led rep").map((each) => each.run)).toEqual(["led-off"]);
  expect(actionsFor({ ...ticket, may: [] }, () => true).map((each) => each.run)).toEqual(["theme"]);
});

test("the letters that were meant are marked where a word begins so", () => {
  expect(pieces("hgx-a17-03 · SXM 5 (GPU 4)", ["a17-03", "gpu"]).filter((each) => each.marked).map((each) => each.text)).toEqual(["a17-03", "GPU"]);
  expect(pieces("abc", [])).toEqual([{ text: "abc", marked: false }]);
  expect(says("Check hgx-a17-03", ["a17"])).toBe(true);
});

const BEGIN = "2026-03-02T12:00:00Z";
const STRIP: Strip = {
  columns: ["at", "failed", "repair", "drained", "provisioning", "not_recorded"],
  rows: [["2026-03-02T12:00:00Z", 1, 0, 0, 0, 5], ["2026-03-02T12:05:00Z", 2, 1, 1, 0, 0], ["2026-03-02T12:10:00Z", 0, 1, 0, 0, 0]],
};

test("the strip counts what was out of service, and not what nobody recorded", () => {
  expect([0, 1, 2].map((i) => outAt(STRIP, i))).toEqual([1, 4, 1]);
  expect(peakOf(STRIP)).toEqual({ count: 4, at: "2026-03-02T12:05:00Z" });
});

test("areas stack, and the highest stack reaches the top", () => {
  const [failed, repair, drained] = areasOf(STRIP);
  expect(failed!.path).toContain("V0.5000");
  expect(repair!.path).toContain("V0.2500");
  expect(drained!.path).toContain("V0.0000");
});

test("a moment in the address and a step of the strip are the same, and the last step is now", () => {
  const from = Date.parse(BEGIN);
  for (const index of [0, 1, 100, 287]) expect(indexOf(momentOf(index, from, 288), from, 288)).toBe(index);
  expect(momentOf(288, from, 288)).toBeNull();
  expect(indexOf("nonsense", from, 288)).toBe(288);
  expect(indexOf("2020-01-01T00:00:00Z", from, 288)).toBe(0);
});

test("what was not recorded is said so", () => {
  const machine = { id: 1, name: "a", rack: 1, u: 1, height_u: 1, cell: "no_signal", state: "unknown", worst: "unknown", reachability: "unreachable", since: "", ticket: null, faults: 0 };
  const note = (changes: object) => layerAt(from).note({ ...machine, ...changes } as MachineRow, 0);
  const from = Date.parse(BEGIN);
  expect(note({})).toBe("not recorded");
  expect(note({ state: "ready" })).toBe("no answer");
  expect(note({ cell: "allocated", state: "ready", worst: "ok", job: "42" })).toBe("job 42");
});

test("what is kept comes first, and stands there without a query", () => {
  const kept = [{ kind: "view" as const, name: "Open P1", url: "/tickets?filter=open" }];
  expect(pagesFor("", kept).map((each) => each.href)).toEqual(["/tickets?filter=open"]);
  expect(pagesFor("p1", kept).map((each) => each.hint)).toEqual(["saved view"]);
  const starred = { kind: "favourite" as const, name: "hgx-a01-01", url: "/machines/7" };
  expect(pagesFor("", [...kept, starred]).map((each) => each.href)).toEqual(["/machines/7", "/tickets?filter=open"]);
  expect(pagesFor("spares", kept).map((each) => each.href)).toEqual(["/spares"]);
});

test("a favourite is a page about one thing; a view keeps its state but the page of a list", () => {
  expect(favouriteUrl("machine", "/machines/7/")).toBe("/machines/7");
  expect(favouriteUrl("machines", "/machines")).toBe("");
  expect(viewUrl("/tickets", "?filter=open&page=3")).toBe("/tickets?filter=open");
  expect(viewUrl("/", "")).toBe("/");
});
