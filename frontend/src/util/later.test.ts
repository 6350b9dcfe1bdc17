import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { later } from "./later.ts";

describe("what is fetched after the page", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("window", new EventTarget());
    vi.stubGlobal("document", { querySelectorAll: () => [] });
    vi.stubGlobal("location", { href: "http://rackside.test/" });
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no server")));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("is fetched again as soon as there is reception", async () => {
    const fetch = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new TypeError("Failed to fetch")).mockResolvedValue("the part");
    const part = later(fetch);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fetch).toHaveBeenCalledTimes(1);
    window.dispatchEvent(new Event("online"));
    expect(await part).toBe("the part");
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it("is fetched again after a while where the browser does not notice that the server is back", async () => {
    const fetch = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error("502")).mockRejectedValueOnce(new Error("502")).mockResolvedValue("the part");
    const part = later(fetch);
    await vi.advanceTimersByTimeAsync(21_000);
    expect(await part).toBe("the part");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is waited for as long as the server is away, and given up where it answers without the part", async () => {
    const fetch = vi.fn<() => Promise<string>>().mockRejectedValue(new Error("404"));
    void later(fetch);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(fetch).toHaveBeenCalledTimes(7);
    vi.stubGlobal("fetch", () => Promise.resolve({ ok: true }));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(fetch).toHaveBeenCalledTimes(8);
    expect(vi.getTimerCount()).toBe(0);
  });
});
