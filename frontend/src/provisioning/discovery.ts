/** BMCs that were found: problems first, what would be written in words, and which racks are not confirmed yet. */
import type { Schemas } from "../api/schema.ts";
import type { Tone } from "../text.ts";

export type Bmc = Schemas["DiscoveredBmc"];
export type Finding = Bmc["finding"];

export const FINDING_TONE: Record<Finding, Tone> = {
  exchanged: "fail", moved: "fail", taken: "fail", differs: "fail", twice: "warn", unknown: "warn", parts: "warn", unread: "warn",
  fits: "accent", same: "ok",
};
const ONE_BY_ONE: readonly Finding[] = ["fits", "same", "parts", "exchanged"];
const CHANGED: Record<string, string> = {
  serial: "Serial", service_tag: "Service tag", system_uuid: "UUID", bmc_ip: "BMC address", bmc_mac: "BMC MAC", boot_mac: "Boot MAC",
};
const PARTS: Record<string, string> = { gpu: "GPU", hca: "HCA", nvme: "NVMe", psu: "PSU", dimm: "DIMM", cpu: "CPU" };

export const mayAccept = (bmc: Bmc) => !bmc.accepted_at && ONE_BY_ONE.includes(bmc.finding);
export const matches = (bmc: Bmc) => !bmc.accepted_at && (bmc.finding === "fits" || bmc.finding === "same");

/** What acceptance would write, field by field; serials of parts are counted. */
export function writes(bmc: Bmc): string[] {
  const fields = Object.entries(bmc.changes).map(([name, value]) => `${CHANGED[name] ?? name}: ${value || "none"}`);
  return bmc.slots.length ? [...fields, `Serials of ${bmc.slots.length === 1 ? bmc.slots[0] : `${bmc.slots.length} parts`}`] : fields;
}

/** `8 GPU · 32 DIMM`, as far as the BMC shows them. */
export function partsText(bmc: Bmc): string {
  return Object.entries(PARTS).filter(([kind]) => bmc.parts[kind]).map(([kind, word]) => `${bmc.parts[kind]} ${word}`).join(" · ");
}

export interface RackOfBmcs {
  rack: string;
  bmcs: Bmc[];
}

/** Machines that nobody confirmed yet, rack by rack. */
export function unconfirmed(bmcs: readonly Bmc[]): RackOfBmcs[] {
  const racks = new Map<string, Bmc[]>();
  for (const bmc of bmcs) {
    if (!bmc.planned || bmc.accepted_at || bmc.finding === "same") continue;
    const rack = bmc.planned.rack || "No place";
    racks.set(rack, [...(racks.get(rack) ?? []), bmc]);
  }
  return [...racks].map(([rack, each]) => ({ rack, bmcs: each })).sort((a, b) => a.rack.localeCompare(b.rack, "en", { numeric: true }));
}
