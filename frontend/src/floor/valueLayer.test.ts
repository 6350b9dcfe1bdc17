import { describe, expect, it } from "vitest";
import type { FloorValues, MachineRow } from "../api/shapes.ts";
import { STEPS } from "../map/shapes.ts";
import { ABSENT, borders, valued } from "./valueLayer.ts";

const machine = (id: number) => ({ id, name: `gpu-${id}`, cell: "available" }) as MachineRow;
const machines = (count: number) => Array.from({ length: count }, (_, i) => machine(i + 1));
const answer = (over: Partial<FloorValues>, rows: [number, number | string][]) =>
  ({ key: "x", title: "X", kind: "number", unit: "", order: [], absent: "", at: "", ...over, machines: { columns: ["machine", "value"], rows } }) as FloorValues;
const none: ReadonlySet<string> = new Set();

describe("the steps of a scale", () => {
  it("end at round numbers and are never more than there are colours", () => {
    expect(borders([41, 72], "°C")).toEqual([50, 60, 70]);
    expect(borders([6_100, 6_900], "W")).toEqual([6_200, 6_400, 6_600, 6_800]);
    expect(borders([33, 34], "°C")).toEqual([34]); // whole numbers are not cut into tenths
    for (const [least, most] of [[0, 1], [3, 1_000], [-7, 7], [99.5, 100], [0.001, 0.0042], [59, 61]] as const) {
      const inner = borders([least, most], "");
      expect(inner.length).toBeLessThan(STEPS);
      expect(inner.every((border, i) => i === 0 || border > inner[i - 1]!)).toBe(true);
    }
  });

  it("are one step where all machines have the same value", () => {
    const { groups } = valued(answer({ unit: "°C" }, [[1, 50], [2, 50]]), machines(2), none);
    expect(groups).toEqual([{ key: "low", word: "50 °C", says: "", machines: 2, number: 3 }]);
  });

  it("say from where to where, go from pale to strong, and leave out empty ends", () => {
    const { groups, layer } = valued(answer({ unit: "°C" }, [[1, 41], [2, 55], [3, 58], [4, 72]]), machines(4), none);
    expect(groups.map(({ word, machines: count, number }) => [word, count, number])).toEqual([
      ["under 50 °C", 1, 1],
      ["50 to 60 °C", 2, 3],
      ["60 to 70 °C", 0, 4],
      ["70 °C or more", 1, 6],
    ]);
    expect(layer.scale).toBe(true);
    expect(layer.note(machine(4), 0)).toBe("72 °C");
  });

  it("of ages are those that people act on", () => {
    const { groups } = valued(answer({ unit: "s" }, [[1, 20], [2, 200], [3, 90_000]]), machines(3), none);
    expect(groups.map(({ word }) => word)).toEqual(["under 1 min", "1 min to 5 min", "5 min to 15 min", "15 min to 1 h", "1 h to 1 d", "1 d or more"]);
  });
});

describe("the floor by a value", () => {
  it("shows a machine without a value as unknown, never as the lowest step", () => {
    const found = valued(answer({}, [[1, 5]]), machines(3), none);
    expect([found.absent, found.absentWord, found.absentCell]).toEqual([2, "Unknown", "no_signal"]);
    expect(found.layer.groupOf!(machine(2))).toBeNull();
    expect(found.layer.note(machine(2), 0)).toBe("unknown");
  });

  it("says what an absent value means where that is known", () => {
    const found = valued(answer({ kind: "word", order: ["P3", "P2", "P1"], absent: "No ticket" }, [[1, "P1"], [2, "P3"]]), machines(3), none);
    expect([found.absent, found.absentWord, found.absentCell]).toEqual([1, "No ticket", "available"]);
    expect(found.groups.map(({ word, machines: count }) => [word, count])).toEqual([["P3", 1], ["P2", 0], ["P1", 1]]);
    expect(found.layer.groupOf!(machine(1))).toBe(STEPS);
  });

  it("gives the words of most machines a colour of their own and the others one together", () => {
    const rows = machines(11).map(({ id }): [number, string] => [id, id < 3 ? "550" : `5${id}`]);
    const found = valued(answer({ kind: "word" }, rows), machines(11), none);
    expect(found.groups[0]).toMatchObject({ key: "550", machines: 2, number: 1 });
    expect([found.groups.length, found.others]).toEqual([8, 2]);
    expect(found.layer.scale).toBe(false);
  });

  it("dims what is not chosen", () => {
    const { layer } = valued(answer({ kind: "word" }, [[1, "a"], [2, "b"]]), machines(3), new Set(["a", ABSENT]));
    expect([1, 2, 3].map((id) => layer.dims!(machine(id)))).toEqual([false, true, false]);
  });

  it("keeps the filter of a step with its border, and forgets one that is no longer there", () => {
    const chosen = new Set(["60"]);
    const dims = (...rows: [number, number][]) => rows.map(([id]) => valued(answer({ unit: "°C" }, rows), machines(rows.length), chosen).layer.dims!(machine(id)));
    expect(dims([1, 41], [2, 65], [3, 72])).toEqual([true, false, true]);
    expect(dims([1, 31], [2, 65], [3, 72])).toEqual([true, false, true]);
    expect(dims([1, 41], [2, 42])).toEqual([false, false]);
  });

  it("counts only machines that stand in the room", () => {
    expect(valued(answer({}, [[1, 5], [99, 7]]), machines(1), none).groups).toHaveLength(1);
  });
});
