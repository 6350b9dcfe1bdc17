/** Imports in words, and what a file seems to hold. */
import type { Import } from "./calls.ts";

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

/** What one would say of an import in a word or two. */
export function stateOf(job: Pick<Import, "status" | "dry_run">): { word: string; tone: "ok" | "fail" | "" | "accent" } {
  switch (job.status) {
    case "done":
      return job.dry_run ? { word: "dry run, can be applied", tone: "accent" } : { word: "applied", tone: "ok" };
    case "refused":
      return { word: "refused", tone: "fail" };
    case "failed":
      return { word: "broke off", tone: "fail" };
    default:
      return { word: job.status, tone: "" };
  }
}
