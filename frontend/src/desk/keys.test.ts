import { expect, test } from "vitest";
import { doesKey, moved, SHEET } from "./keys.ts";

const press = (key: string, more = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, defaultPrevented: false, ...more });

test("each key of the sheet does something, and only alone", () => {
  for (const [key] of SHEET) {
    expect(doesKey(press(key), false)).not.toBeNull();
    expect(doesKey(press(key), true)).toBeNull();
    for (const modifier of ["ctrlKey", "metaKey", "altKey", "defaultPrevented"]) expect(doesKey(press(key, { [modifier]: true }), false)).toBeNull();
  }
  expect(doesKey(press("q"), false)).toBeNull();
});

test("moving stops at both ends", () => {
  expect(moved(-1, 3, 1)).toBe(0);
  expect(moved(-1, 3, -1)).toBe(2);
  expect(moved(2, 3, 1)).toBe(2);
  expect(moved(0, 3, -1)).toBe(0);
  expect(moved(1, 3, 1)).toBe(2);
  expect(moved(0, 0, 1)).toBe(-1);
});
