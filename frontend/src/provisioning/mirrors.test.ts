import { expect, test } from "vitest";
import { bars, groupsOf, type Mirror, type MirrorMachine, worstFirst } from "./mirrors.ts";

const machine = (id: number, more: Partial<MirrorMachine>): MirrorMachine => ({ id, name: `gpu-${id}`, rack: "B02", uses: true, reaches: true, ms: 9, text: "", ...more });

test("machines stand by how they reach a source, those that do not first", () => {
  const machines = [machine(1, {}), machine(2, { reaches: false, text: "no answer" }), machine(3, { reaches: null }), machine(4, { uses: false }), machine(5, { reaches: false, text: "no answer" })];
  expect(groupsOf(machines).map(({ key, text, machines: those }) => [key, text, those.map(({ id }) => id)])).toEqual([["not", "no answer", [2, 5]], ["unknown", "", [3]], ["uses", "", [1]]]);
});

test("the strip shows an answer that did not come as none", () => {
  const at = "2026-11-28T12:00:00Z";
  expect(bars([{ at, ms: 1 }, { at, ms: 100 }, { at, ms: 60_000 }, { at, ms: null }])).toEqual([0.08, 0.5, 1, null]);
});

test("what does not answer stands first, and not known before good", () => {
  const of = (name: string, state: Mirror["state"]) => ({ name, state }) as Mirror;
  expect(worstFirst([of("b", "good"), of("a", "good"), of("c", "unknown"), of("d", "failed")]).map(({ name }) => name)).toEqual(["d", "c", "a", "b"]);
});
