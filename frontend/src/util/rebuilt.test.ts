import { describe, expect, test } from "vitest";
import { reloadOnce, type Tab } from "./rebuilt.ts";

function tab(answers = true) {
  const seen = { reloads: 0, at: 0, now: 1_000_000 };
  const it: Tab = {
    renew: () => Promise.resolve(),
    answers: () => Promise.resolve(answers),
    now: () => seen.now,
    reloadedAt: () => seen.at,
    remember: (at) => (seen.at = at),
    reload: () => (seen.reloads += 1),
  };
  return { seen, it };
}

describe("a dashboard built anew under an open page", () => {
  test("is loaded once; a failure right after that is shown", async () => {
    const { seen, it } = tab();
    expect(await reloadOnce(it)).toBe(true);
    seen.now += 2_000;
    expect(await reloadOnce(it)).toBe(false);
    expect(seen.reloads).toBe(1);
  });

  test("is loaded again for the next build", async () => {
    const { seen, it } = tab();
    await reloadOnce(it);
    seen.now += 3_600_000;
    expect(await reloadOnce(it)).toBe(true);
    expect(seen.reloads).toBe(2);
  });

  test("is not loaded while the server does not answer: the open page is better than none", async () => {
    const { seen, it } = tab(false);
    expect(await reloadOnce(it)).toBe(false);
    expect(seen.reloads).toBe(0);
    expect(seen.at).toBe(0);
  });
});
