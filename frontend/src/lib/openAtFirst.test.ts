import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAtFirst } from "./openAtFirst.ts";

const SOURCES = join(import.meta.dirname, "..");
const components = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".svelte"));

function folded(wanted: boolean) {
  const node = { open: false } as HTMLDetailsElement;
  const action = openAtFirst(node, wanted);
  if (!action?.update) throw new Error("the action follows no later wish");
  return { node, again: action.update };
}

test("what a reader opened or closed stays so when its list is loaded again", () => {
  const closed = folded(false);
  closed.node.open = true; // the reader
  closed.again(false);
  expect(closed.node.open).toBe(true);

  const open = folded(true);
  expect(open.node.open).toBe(true);
  open.node.open = false; // the reader
  open.again(true);
  expect(open.node.open).toBe(false);
});

test("a wish that comes later opens, one that goes closes nothing", () => {
  const row = folded(false);
  row.again(true);
  expect(row.node.open).toBe(true);
  row.again(false);
  expect(row.node.open).toBe(true);
});

test("no component sets `open` of a details element with each of its updates", () => {
  const steered = components.filter((path) => /<details\b[^>]*\s(open=|\{open\})/.test(readFileSync(join(SOURCES, path), "utf8")));
  expect(steered).toEqual([]);
  expect(components.length).toBeGreaterThan(50);
});
