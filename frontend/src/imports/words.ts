/** Imports in words, and what a file seems to hold. */
import * as words from "../api/generated/words.ts";
import { type Said, toned } from "../text.ts";
import type { Import, NetBoxRun } from "./calls.ts";

export const FORMATS = ["csv", "yaml", "yml", "json", "xlsx"];
export const ACCEPT = FORMATS.map((format) => `.${format}`).join(",");

/** What is wrong with a file before it is sent; "" when nothing is. */
export function fileProblem(name: string, size: number): string {
  const format = name.toLowerCase().split(".").at(-1) ?? "";
  if (!FORMATS.includes(format)) return "Choose a CSV, YAML, JSON or XLSX file.";
  return size === 0 ? "The file is empty." : "";
}

/** The kind a file name speaks of: "racks.csv", "devices-2026.xlsx", "Cables hall 2.yaml". */
export function kindOf(filename: string, kinds: string[]): string | null {
  const name = filename.toLowerCase().replace(/[\s_]+/g, "-");
  const fits = kinds.filter((kind) => name.startsWith(kind));
  return fits.sort((a, b) => b.length - a.length)[0] ?? null;
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

const STATUS = toned(words.ImportStatus, { done: "ok", refused: "fail", failed: "fail" });

/** Where an import stands; a dry run that found nothing wrong can be applied. */
export function stateOf({ status, dry_run }: Pick<Import, "status" | "dry_run">): Said {
  return status === "done" && dry_run ? { word: "Dry run, can be applied", tone: "accent", says: "" } : STATUS[status];
}

const NETBOX = toned(words.NetBoxRunStatus, { done: "ok", failed: "fail" });

/** Where an import from NetBox stands: `Done, dry run`. */
export function netboxState({ status, dry_run }: Pick<NetBoxRun, "status" | "dry_run">): Said {
  return dry_run ? { ...NETBOX[status], word: `${NETBOX[status].word}, dry run` } : NETBOX[status];
}
