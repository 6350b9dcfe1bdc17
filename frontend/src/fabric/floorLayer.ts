/** What the floor map shows of the wiring: machines and racks that findings name. Pure. */
import type { Cell } from "../api/shapes.ts";
import type { Layer } from "../map/layer.ts";
import type { FindingItem, SourceBrief } from "./shapes.ts";

export const FABRIC_CELLS = ["failed", "suspect", "no_signal", "available"] as const satisfies Cell[];
export const FABRIC_WORD: Record<(typeof FABRIC_CELLS)[number], string> = {
  failed: "Finding",
  suspect: "Seen once",
  no_signal: "Not known",
  available: "Nothing found",
};

/** A machine without a finding is well only if somebody looked and the look can be trusted. */
export const isTrusted = (sources: SourceBrief[]): boolean => sources.some((source) => source.state === "ok");

export function fabricLayer(findings: FindingItem[], trusted: boolean): Layer {
  const byDevice = new Map<number, FindingItem[]>();
  const inRack = new Map<number, number>();
  for (const finding of findings) {
    for (const id of new Set(finding.device_ids)) byDevice.set(id, [...(byDevice.get(id) ?? []), finding]);
    for (const id of new Set(finding.rack_ids)) inRack.set(id, (inRack.get(id) ?? 0) + 1);
  }
  const cellOf = (machine: { id: number }): Cell => {
    const found = byDevice.get(machine.id);
    if (!found) return trusted ? "available" : "no_signal";
    return found.some((finding) => finding.state !== "new") ? "failed" : "suspect";
  };
  const wordOf = (cell: Cell): string => FABRIC_WORD[cell as (typeof FABRIC_CELLS)[number]] ?? "";
  return {
    cellOf,
    wordOf,
    note: (machine) => byDevice.get(machine.id)?.[0]?.title ?? wordOf(cellOf(machine)).toLowerCase(),
    badge: (rack) => String(inRack.get(rack.id) ?? ""),
    alarm: "failed",
  };
}
