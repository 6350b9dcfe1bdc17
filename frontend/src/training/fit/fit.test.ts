import { describe, expect, it } from "vitest";
import type { Fit, FitChoice, FitLine } from "../../api/shapes.ts";
import { countOf, markOf, namedBy, summaryOf, titleOfChoice } from "./fit.ts";

const line = (more: Partial<FitLine>): FitLine => ({ id: "links", title: "Links", state: "ok", good: 511, of: 511, text: "", ...more });

describe("fit to start", () => {
  it("counts machines, and says in words where none are counted", () => {
    expect(countOf(line({}))).toBe("all");
    expect(countOf(line({ good: 4088, of: 4089 }))).toBe("4,088 of 4,089");
    expect(countOf(line({ id: "spares", good: 9, of: 1 }))).toBe("9");
    expect(countOf(line({ state: "not_run", good: null, of: null }))).toBe("never run");
  });

  it("marks what was evaluated and nothing else", () => {
    expect(markOf("fail")).toBe("fail");
    expect(markOf("unknown")).toBe("unknown");
    expect(markOf("not_asked")).toBeNull();
    expect(markOf("running")).toBeNull();
  });

  it("sums the criteria up", () => {
    const fit = { criteria: [line({ state: "fail" }), line({ state: "warn" }), line({ state: "warn" }), line({}), line({ state: "not_run" })] } as Fit;
    expect(summaryOf(fit)).toBe("1 fails, 2 warn, 1 passes");
  });

  it("says what one would start with", () => {
    expect(titleOfChoice({ id: "whole", count: 511 } as FitChoice)).toBe("511 machines");
    expect(titleOfChoice({ id: "reduced", count: 1 } as FitChoice)).toBe("1 machine, without them");
  });

  it("reads the set from the address", () => {
    expect(namedBy(new URLSearchParams("run=12&form=mpi"))).toEqual({ by: "run", value: "12" });
    expect(namedBy(new URLSearchParams("hosts=%20&form=mpi"))).toBeNull();
  });
});
