import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LOCKS_AFTER_MS, lockWhenLeft } from "./lock.ts";

const MINUTE = 60_000;
let online: boolean;
let screen: EventTarget;
let kept: Map<string, string>;
beforeEach(() => {
  vi.useFakeTimers();
  [online, screen, kept] = [true, new EventTarget(), new Map()];
  vi.stubGlobal("window", screen);
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("location", { href: "http://localhost/tickets" });
  vi.stubGlobal("localStorage", { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) });
  vi.stubGlobal("fetch", () => (online ? Promise.resolve({ ok: true }) : Promise.reject(new TypeError("no net"))));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const touch = () => screen.dispatchEvent(new Event("pointerdown"));

test("a tablet that nobody touches locks itself, and one in use does not", async () => {
  const lock = vi.fn();
  const stop = lockWhenLeft(lock);
  for (let minute = 0; minute < 30; minute += 1) {
    await vi.advanceTimersByTimeAsync(MINUTE);
    touch();
  }
  expect(lock).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(LOCKS_AFTER_MS + 20_000);
  expect(lock).toHaveBeenCalled();
  stop();
  lock.mockClear();
  await vi.advanceTimersByTimeAsync(LOCKS_AFTER_MS);
  expect(lock).not.toHaveBeenCalled();
});

test("the first touch after a dark screen locks it, and so does the page when it is opened again", async () => {
  const lock = vi.fn();
  lockWhenLeft(lock)();
  vi.setSystemTime(Date.now() + LOCKS_AFTER_MS); // no timer runs while a tablet sleeps
  const stop = lockWhenLeft(lock);
  await vi.advanceTimersByTimeAsync(0);
  expect(lock).toHaveBeenCalledTimes(1);
  touch();
  await vi.advanceTimersByTimeAsync(0);
  expect(lock).toHaveBeenCalledTimes(2);
  stop();
});

test("what another tab was touched for counts here as well", async () => {
  const lock = vi.fn();
  const stop = lockWhenLeft(lock);
  for (let minute = 0; minute < 30; minute += 1) {
    await vi.advanceTimersByTimeAsync(MINUTE);
    kept.set("rackside.touched", String(Date.now()));
  }
  expect(lock).not.toHaveBeenCalled();
  stop();
});

test("without reception it stays open until there is some", async () => {
  const lock = vi.fn();
  const stop = lockWhenLeft(lock);
  online = false;
  await vi.advanceTimersByTimeAsync(2 * LOCKS_AFTER_MS);
  expect(lock).not.toHaveBeenCalled();
  online = true;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(lock).toHaveBeenCalled();
  stop();
});
