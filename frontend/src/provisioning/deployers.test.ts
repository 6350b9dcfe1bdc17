import { describe, expect, it } from "vitest";
import { ironicTold, maasTold, offered, sitesOf, takes } from "./deployers.ts";

describe("MAAS and Ironic of a site", () => {
  it("are offered only where some site has one, and take only machines of such a site", () => {
    const none = { maas: new Set<number>(), ironic: new Set<number>() };
    expect(offered(["redfish", "maas", "ironic", "adopt"], none)).toEqual(["redfish", "adopt"]);
    const sites = { ...none, maas: sitesOf([{ site: 3, enabled: true }, { site: 4, enabled: false }]) };
    expect(offered(["redfish", "maas", "ironic"], sites)).toEqual(["redfish", "maas"]);
    expect([takes("maas", 3, sites), takes("maas", 4, sites), takes("ironic", 3, sites), takes("redfish", 4, sites)]).toEqual([true, false, false, true]);
  });

  it("say what a try found", () => {
    const tried = { good: true, message: "", version: "3.5.2", capabilities: ["fake-hardware", "redfish"], user: "rackside" };
    expect(maasTold(tried)).toBe("MAAS 3.5.2 answers; the key is that of rackside.");
    expect(ironicTold({ ...tried, version: "1.115" })).toBe("Ironic 1.115 answers; it has the drivers fake-hardware, redfish.");
    expect(maasTold({ ...tried, good: false, message: "the key was refused" })).toBe("MAAS 3.5.2 answers, but: the key was refused");
    expect(ironicTold({ ...tried, good: false, version: "", message: "no answer in time" })).toBe("No Ironic answers: no answer in time");
  });
});
