/** Container images: their names in parts, sizes, and machines by rack and by what they have. */
import { MachineImageState } from "../api/generated/words.ts";
import type { Schemas } from "../api/schema.ts";
import { codesOf, type Tone } from "../text.ts";

export type ImageMachine = Schemas["ImageMachine"];
export type ImageState = Schemas["MachineImageState"];

export const STATES: ImageState[] = codesOf(MachineImageState);
export const STATE_TONE: Record<ImageState, Tone> = { same: "ok", another: "warn", missing: "fail", unknown: "", not_read: "" };

/** Registry and path small, what people call it large: `registry.example/team/` and `pytorch:25.01`. */
export function nameParts(reference: string): { path: string; name: string } {
  const at = reference.lastIndexOf("/") + 1;
  return { path: reference.slice(0, at), name: reference.slice(at) };
}

/** 21.7 GB, 246 MB. */
export function sizeText(bytes: number | null): string {
  if (bytes === null) return "";
  const [amount, unit] = bytes >= 1e9 ? [bytes / 1e9, "GB"] : bytes >= 1e6 ? [bytes / 1e6, "MB"] : [bytes / 1e3, "kB"];
  return `${amount >= 100 ? amount.toFixed(0) : amount.toFixed(1)} ${unit}`;
}

/** A digest as Docker shortens it; of a file its size. */
export const shortIdentity = (identity: string): string => identity.replace(/^sha256:/, "").slice(0, 12);

export function byRack(machines: ImageMachine[]): { rack: string; machines: ImageMachine[] }[] {
  const racks = new Map<string, ImageMachine[]>();
  for (const machine of machines) {
    const those = racks.get(machine.rack);
    if (those) those.push(machine);
    else racks.set(machine.rack, [machine]);
  }
  return [...racks].map(([rack, those]) => ({ rack, machines: those }));
}

/** Those that a person has to do something about, the most frequent state first. */
export function amiss(machines: ImageMachine[]): { state: ImageState; identity: string; text: string; machines: ImageMachine[] }[] {
  const groups = new Map<string, { state: ImageState; identity: string; text: string; machines: ImageMachine[] }>();
  for (const machine of machines) {
    if (machine.state === "same") continue;
    const { state, identity, text } = machine;
    const key = JSON.stringify([state, identity, text]);
    const group = groups.get(key) ?? { state, identity, text, machines: [] };
    group.machines.push(machine);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || b.machines.length - a.machines.length);
}
