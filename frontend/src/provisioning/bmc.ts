/** BMC set-up: values as people read and write them, and what is wrong first. */
import { BmcPasswordState as PASSWORD } from "../api/generated/words.ts";
import type { Schemas } from "../api/schema.ts";
import type { Tone } from "../text.ts";

export type BmcProfile = Schemas["BmcProfile"];
export type BmcSetting = Schemas["BmcSetting"];
export type BmcBaseline = Schemas["BmcBaseline"];
export type BmcMachine = Schemas["BmcMachine"];
export type BmcRun = Schemas["BmcRun"];
export type BmcRunMachine = Schemas["BmcRunMachine"];
export type BmcAction = Schemas["BmcAction"];
export type Comparison = Schemas["BmcComparison"];
type Password = BmcMachine["password"];

export const COMPARISON_TONE: Record<Comparison, Tone> = { same: "ok", differs: "fail", pending: "warn", missing: "warn" };
export const PASSWORD_TONE: Record<NonNullable<Password>, Tone> = { own: "ok", changing: "warn", kept: "warn", refused: "fail" };

export const passwordWord = (password: Password): string => (password ? PASSWORD[password].word : "Shared");
export const passwordSays = (password: Password): string => (password ? (PASSWORD[password].says ?? "") : "One that several BMCs have, or the one it was delivered with.");

/** Whether a pattern of a baseline (`*BIOS*`) names this component. */
export function isNamed(pattern: string, component: string): boolean {
  const literal = (text: string) => text.replace(/[\\^$.|+()[\]{}]/g, "\\$&");
  return new RegExp(`^${literal(pattern).replaceAll("*", ".*").replaceAll("?", ".")}$`, "i").test(component);
}

/** A value as it is read: lists with commas, nothing as a dash. */
export function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  return Array.isArray(value) ? value.filter(Boolean).join(", ") || "–" : String(value);
}

const LISTS = new Set(["BootOrder", "NTPServers"]);

/** What somebody typed as the value of a setting: a list by commas, true and false, a number, else a text. */
export function valueOf(name: string, text: string): unknown {
  const given = text.trim();
  if (LISTS.has(name)) return given.split(",").map((each) => each.trim()).filter(Boolean);
  if (given === "true" || given === "false") return given === "true";
  return /^-?(0|[1-9]\d{0,14})$/.test(given) ? Number(given) : given;
}

const TROUBLE: Password[] = ["refused", "changing", "kept"];

/** How much of a machine is not as wanted; 0: all is. */
export const troubleOf = (machine: BmcMachine): number =>
  (machine.problem ? 1 : 0) + machine.settings_differ + machine.firmware_differ + (TROUBLE.includes(machine.password) ? 1 : 0);

/** Machines that differ, or tell nothing; passwords that nobody knows first. */
export const differing = (machines: readonly BmcMachine[]): BmcMachine[] =>
  machines
    .filter((machine) => troubleOf(machine) > 0)
    .sort((a, b) => Number(b.password === "refused") - Number(a.password === "refused") || troubleOf(b) - troubleOf(a) || a.machine.name.localeCompare(b.machine.name));

/** The machines that an action is for: those that differ in it, else all. */
export function concerned(machines: readonly BmcMachine[], action: BmcAction): BmcMachine[] {
  const rows = machines.filter((machine) =>
    action === "password" ? machine.password !== "own" : action === "settings" ? machine.settings_differ > 0 : machine.firmware_differ > 0);
  return rows.length ? rows : [...machines];
}

