import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LOCKS_AFTER_MS, lockWhenLeft } from "./lock.ts";

let online = true;
let screen: EventTarget;
beforeEach(() => {
  vi.useFakeTimers();
  online = true;
  screen = new EventTarget();
  vi.stubGlobal("window", screen);
  vi.stubGlobal("navigator", {
    get onLine() {
      return online;
    },
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a tablet that nobody touches locks itself, and one in use does not", () => {
  const lock = vi.fn();
  const stop = lockWhenLeft(lock);
  for (let minute = 0; minute < 30; minute += 1) {
    vi.advanceTimersByTime(60_000);
    screen.dispatchEvent(new Event("pointerdown"));
  }
  expect(lock).not.toHaveBeenCalled();
  vi.advanceTimersByTime(LOCKS_AFTER_MS + 20_000);
  expect(lock).toHaveBeenCalled();
  stop();
  lock.mockClear();
  vi.advanceTimersByTime(LOCKS_AFTER_MS);
  expect(lock).not.toHaveBeenCalled();
});

test("without reception it stays open until there is some", () => {
  const lock = vi.fn();
  const stop = lockWhenLeft(lock);
  online = false;
  vi.advanceTimersByTime(2 * LOCKS_AFTER_MS);
  expect(lock).not.toHaveBeenCalled();
  online = true;
  vi.advanceTimersByTime(20_000);
  expect(lock).toHaveBeenCalled();
  stop();
});
