import { describe, expect, it } from "vitest";
import { offered, takes, triedText } from "./maas.ts";

describe("MAAS of a site", () => {
  it("is offered only where some site has a region, and takes only machines of such a site", () => {
    expect(offered(["redfish", "maas", "adopt"], new Set())).toEqual(["redfish", "adopt"]);
    expect(offered(["redfish", "maas"], new Set([3]))).toEqual(["redfish", "maas"]);
    expect([takes("maas", 3, new Set([3])), takes("maas", 4, new Set([3])), takes("redfish", 4, new Set())]).toEqual([true, false, true]);
  });

  it("says what a try found", () => {
    const tried = { good: true, message: "", version: "3.5.2", capabilities: [], user: "rackside" };
    expect(triedText(tried)).toBe("MAAS 3.5.2 answers; the key is that of rackside.");
    expect(triedText({ ...tried, good: false, message: "the key was refused" })).toBe("MAAS 3.5.2 answers, but: the key was refused");
    expect(triedText({ ...tried, good: false, version: "", message: "no answer in time" })).toBe("No MAAS answers: no answer in time");
  });
});
