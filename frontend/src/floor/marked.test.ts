import { expect, it, vi } from "vitest";
import { AT_ONCE, inPieces, Marked, type Outcome, toggled } from "./marked.svelte.ts";

const outcomes = (machines: readonly number[]): Outcome[] => machines.map((machine) => ({ machine, name: `m${machine}`, done: machine % 2 === 0, reason: machine % 2 ? "no" : "" }));

it("adds what is drawn around, and takes it out where all of it was selected", () => {
  expect([...toggled(new Set([1]), [1, 2])]).toEqual([1, 2]);
  expect([...toggled(new Set([1, 2, 3]), [1, 2])]).toEqual([3]);
  expect([...toggled(new Set([1]), [])]).toEqual([1]);
});

it("sends pieces one after the other and tells how far it is", async () => {
  const machines = Array.from({ length: AT_ONCE * 2 + 1 }, (_, i) => i);
  const sizes: number[] = [];
  const far: number[] = [];
  const all = await inPieces(machines, (piece) => (sizes.push(piece.length), Promise.resolve(outcomes(piece))), (done) => far.push(done.length));
  expect(sizes).toEqual([AT_ONCE, AT_ONCE, 1]);
  expect(far).toEqual([AT_ONCE, AT_ONCE * 2, AT_ONCE * 2 + 1]);
  expect(all.map(({ machine }) => machine)).toEqual(machines);
});

it("stops where a request fails, with what was done before told", async () => {
  const send = vi.fn(async (piece: number[]) => {
    if (piece[0]) throw new Error("502");
    return outcomes(piece);
  });
  const told = vi.fn();
  await expect(inPieces(Array.from({ length: AT_ONCE * 3 }, (_, i) => i), send, told)).rejects.toThrow("502");
  expect(send).toHaveBeenCalledTimes(2);
  expect(told).toHaveBeenCalledTimes(1);
});

it("stays as it is while something is done with it", () => {
  const marked = new Marked();
  marked.toggle([1, 2]);
  marked.handling = true;
  marked.toggle([3]);
  marked.clear();
  expect([...marked.machines]).toEqual([1, 2]);
  marked.handling = false;
  marked.clear();
  expect(marked.machines.size).toBe(0);
});
