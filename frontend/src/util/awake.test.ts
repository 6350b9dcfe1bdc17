import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepAwake } from "./awake.ts";

let held = 0;
let refuse = false;
let page: EventTarget & { visibilityState: string };
const settled = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  [held, refuse] = [0, false];
  page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  const request = () => {
    if (refuse) return Promise.reject(new Error("low battery"));
    held += 1;
    return Promise.resolve({ release: () => Promise.resolve((held -= 1)) });
  };
  vi.stubGlobal("document", page);
  vi.stubGlobal("navigator", { wakeLock: { request } });
});
afterEach(() => vi.unstubAllGlobals());

test("the screen stays on until it is let go", async () => {
  const letGo = keepAwake();
  await settled();
  expect(held).toBe(1);
  letGo();
  await settled();
  expect(held).toBe(0);
});

test("let go before the browser answered, nothing stays held", async () => {
  keepAwake()();
  await settled();
  expect(held).toBe(0);
});

test("a page that is seen again asks again, a hidden one does not", async () => {
  page.visibilityState = "hidden";
  keepAwake();
  await settled();
  expect(held).toBe(0);
  page.visibilityState = "visible";
  page.dispatchEvent(new Event("visibilitychange"));
  await settled();
  expect(held).toBe(1);
});

test("a browser that refuses, or has none, breaks nothing", async () => {
  refuse = true;
  keepAwake()();
  vi.stubGlobal("navigator", {});
  keepAwake()();
  await settled();
  expect(held).toBe(0);
});
