/** Sources of a site: their tones, the strip of latencies, and machines by how they stand to one. */
import { MirrorState } from "../api/generated/words.ts";
import type { Schemas } from "../api/schema.ts";
import { codesOf, type Tone } from "../text.ts";

export type Mirror = Schemas["Mirror"];
export type MirrorMachine = Schemas["MirrorMachine"];

export const STATE_TONE: Record<Mirror["state"], Tone> = { unknown: "", good: "ok", slow: "warn", failed: "fail" };
const WORST: Mirror["state"][] = ["failed", "slow", "unknown", "good"];
export const STATES = codesOf(MirrorState);

/** What needs somebody first. */
export const worstFirst = (mirrors: readonly Mirror[]): Mirror[] => [...mirrors].sort((a, b) => WORST.indexOf(a.state) - WORST.indexOf(b.state) || a.name.localeCompare(b.name));

/** Bars of the strip, 0 to 1 by a scale of logarithms: 1 ms is low, 10 s is full. Null: no answer. */
export const bars = (latencies: Mirror["latencies"]): (number | null)[] =>
  latencies.map(({ ms }) => (ms === null ? null : Math.min(1, Math.max(0.08, Math.log10(Math.max(1, ms)) / 4))));

export interface Stands {
  key: "not" | "unknown" | "uses";
  text: string;
  machines: MirrorMachine[];
}

/** Those that do not reach it by why, those of which it is not known, and those that use it. */
export function groupsOf(machines: readonly MirrorMachine[]): Stands[] {
  const found = new Map<string, Stands>();
  for (const machine of machines) {
    const key = machine.reaches === false ? "not" : machine.reaches === null ? "unknown" : "uses";
    if (key === "uses" && !machine.uses) continue;
    const text = key === "uses" ? "" : machine.text;
    const group = found.get(`${key}/${text}`) ?? { key, text, machines: [] };
    group.machines.push(machine);
    found.set(`${key}/${text}`, group);
  }
  const order = ["not", "unknown", "uses"];
  return [...found.values()].sort((a, b) => order.indexOf(a.key) - order.indexOf(b.key) || b.machines.length - a.machines.length);
}
