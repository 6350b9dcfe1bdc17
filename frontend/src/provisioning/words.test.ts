import { describe, expect, it } from "vitest";

import { alikeTitle } from "./words.ts";

describe("machines that fail alike", () => {
  it("are said to be one problem, by what failed", () => {
    const machines = [1, 2, 3].map((id) => ({ id, name: `gpu-00${id}` }));
    const group = { step: "identity", failure_class: "no_bmc" as const, machines, cause: "the management network" };
    expect(alikeTitle(group)).toBe("3 machines, one problem: BMC does not answer.");
  });
});
