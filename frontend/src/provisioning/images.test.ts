import { describe, expect, it } from "vitest";

import { amiss, byRack, type ImageMachine, type ImageState, nameParts, shortIdentity, sizeText } from "./images.ts";

const machine = (id: number, state: ImageState, more: Partial<ImageMachine> = {}): ImageMachine => ({
  id, name: `gpu-${id}`, rack: "A1", state, identity: "", text: "", ...more,
});

describe("container images", () => {
  it("are called by what follows the last slash", () => {
    expect(nameParts("registry.example/team/pytorch:25.01")).toEqual({ path: "registry.example/team/", name: "pytorch:25.01" });
    expect(nameParts("/raid/enroot/torch.sqsh")).toEqual({ path: "/raid/enroot/", name: "torch.sqsh" });
  });
  it("have a size with two or three figures", () => {
    expect([21_700_000_000, 246_000_000, 5_000, null].map(sizeText)).toEqual(["21.7 GB", "246 MB", "5.0 kB", ""]);
  });
  it("have a digest as Docker shortens it", () => {
    expect(shortIdentity(`sha256:${"ab".repeat(32)}`)).toBe("abababababab");
    expect(shortIdentity("400 bytes")).toBe("400 bytes");
  });
  it("are shown by rack in the order of the answer", () => {
    const racks = byRack([machine(1, "same"), machine(2, "same", { rack: "B1" }), machine(3, "missing")]);
    expect(racks.map(({ rack, machines }) => [rack, machines.length])).toEqual([["A1", 2], ["B1", 1]]);
  });
  it("that differ are together by what lies there, and whoever has it is not named", () => {
    const groups = amiss([
      machine(1, "same"), machine(2, "missing"), machine(3, "another", { identity: "sha256:aa" }), machine(4, "missing"),
      machine(5, "unknown", { text: "docker: the command hung" }),
    ]);
    expect(groups.map(({ state, machines }) => [state, machines.length])).toEqual([["another", 1], ["missing", 2], ["unknown", 1]]);
  });
});
