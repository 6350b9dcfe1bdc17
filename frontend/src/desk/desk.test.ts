import { expect, test } from "vitest";
import { match } from "../router.svelte.ts";
import { actionsFor, actionsMatching, type MachineOnPage, PAGES, pagesFor, pieces, says } from "./commands.ts";
import { capsOf, Presses, type Press, SHORTCUTS, type Shortcut, shortcutOf, TOGETHER_MS } from "./shortcuts.ts";

const press = (key: string, held: Partial<Press> = {}): Press => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...held });
const MACHINE: MachineOnPage = { kind: "machine", id: 7, name: "hgx-a01-01", site: 1, state: "ready" };

test("no key means two things in one scope, and those of every page begin no other", () => {
  for (const scope of ["map"] as const) {
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
