import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LiveEvent } from "../live/protocol.ts";

const feed = vi.hoisted(() => ({ told: new Set<(events: LiveEvent[]) => void>(), reset: new Set<() => void>() }));
vi.mock("../live/live.svelte.ts", () => ({
  live: {
    onEvents: (run: (events: LiveEvent[]) => void) => (feed.told.add(run), () => feed.told.delete(run)),
    onReset: (run: () => void) => (feed.reset.add(run), () => feed.reset.delete(run)),
  },
}));
const { Resource } = await import("./resource.svelte.ts");

const tell = () => feed.told.forEach((run) => run([{ id: 1, kind: "machine.changed", subject: "", at: "", data: {} }]));
/** An answer takes longer than the feed rests. */
const ANSWER_MS = 400;
let asked = 0;
const slow = () => {
  const number = (asked += 1);
  return new Promise<number>((resolve) => setTimeout(resolve, ANSWER_MS, number));
};

beforeEach(() => {
  asked = 0;
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  feed.told.clear();
  feed.reset.clear();
});

test("a feed that never rests keeps no answer away, and what it told is fetched afterwards", async () => {
  const resource = new Resource(slow);
  const stop = resource.follow(() => true);
  for (let ms = 0; ms < 4_000; ms += 50) {
    tell();
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(resource.data).toBeGreaterThanOrEqual(5);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(resource.data).toBe(asked);
  expect(resource.loading).toBe(false);
  stop();
});

test("what was asked before a lost connection is not waited for", async () => {
  const never = new Resource(() => (asked++ ? slow() : new Promise<number>(() => undefined)));
  const stop = never.follow(() => true);
  feed.reset.forEach((run) => run());
  await vi.advanceTimersByTimeAsync(1_000);
  expect(never.data).not.toBeNull();
  stop();
});

test("of two that were asked for by hand the later one stands, and an action's answer is newer than both", async () => {
  const resource = new Resource(slow);
  void resource.load();
  await vi.advanceTimersByTimeAsync(100);
  void resource.load();
  await vi.advanceTimersByTimeAsync(ANSWER_MS - 50);
  expect(resource.data).toBeNull();
  resource.put(99);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(resource.data).toBe(99);
  expect(resource.loading).toBe(false);
});

test("who stops following waits for nothing, and may follow again", async () => {
  const resource = new Resource(slow);
  resource.follow(() => true)();
  expect(resource.loading).toBe(false);
  const stop = resource.follow(() => true);
  await vi.advanceTimersByTimeAsync(ANSWER_MS);
  expect(resource.data).toBe(2);
  stop();
});
