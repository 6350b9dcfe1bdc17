import { describe, expect, it } from "vitest";
import { type BmcMachine, concerned, differing, isNamed, passwordWord, shown, valueOf } from "./bmc.ts";

const machine = (name: string, more: Partial<BmcMachine> = {}): BmcMachine => ({
  machine: { id: name.length, name }, model: "hgx", read_at: null, problem: "", settings_differ: 0, firmware_differ: 0, password: "own", ...more,
});

describe("values of settings", () => {
  it("are read as what the BMC takes", () => {
    expect(valueOf("NTPServers", "10.0.0.1, 10.0.0.2,")).toEqual(["10.0.0.1", "10.0.0.2"]);
    expect(valueOf("ProtocolEnabled", "true")).toBe(true);
    expect(valueOf("AcPwrRcvryUserDelay", "60")).toBe(60);
    expect(valueOf("Anything", " 060 ")).toBe("060");
    expect(valueOf("ProcVirtualization", "Enabled")).toBe("Enabled");
  });
  it("are shown in words", () => {
    expect([shown(null), shown(["a", "", "b"]), shown(false), shown([""])]).toEqual(["–", "a, b", "false", "–"]);
  });
});

describe("components", () => {
  it("are named by patterns as the server reads them", () => {
    expect([isNamed("*BIOS*", "BIOS"), isNamed("bios", "BIOS"), isNamed("*idrac-?", "x iDRAC-9"), isNamed("a.c", "abc"), isNamed("*(x)*", "a (x) b")]).toEqual([true, true, true, false, true]);
  });
});

describe("machines", () => {
  const rows = [machine("a"), machine("b", { settings_differ: 3 }), machine("c", { password: "refused" }), machine("d", { problem: "no answer" }), machine("e", { password: null })];
  it("that differ stand first, those with an unknown password before all", () => {
    expect(differing(rows).map((row) => row.machine.name)).toEqual(["c", "b", "d"]);
  });
  it("of an action are those that differ in it, else all", () => {
    expect(concerned(rows, "settings").map((row) => row.machine.name)).toEqual(["b"]);
    expect(concerned(rows, "password").map((row) => row.machine.name)).toEqual(["c", "e"]);
    expect(concerned(rows, "firmware")).toHaveLength(5);
  });
  it("say how their password stands", () => {
    expect([passwordWord(null), passwordWord("refused")]).toEqual(["Shared", "Not known"]);
  });
});
