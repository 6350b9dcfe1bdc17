import { expect, it } from "vitest";
import { partOf, textOf } from "./zoom.svelte.ts";

it("keeps a part of a span in the address and takes no nonsense from it", () => {
  expect(partOf(textOf([1_767_225_600_000.4, 1_767_312_000_000]))).toEqual([1_767_225_600_000, 1_767_312_000_000]);
  for (const text of [null, "", "5", "9-5", "5-5", "a-b", "1-2-3", "-1-5"]) expect(partOf(text)).toBeNull();
});
