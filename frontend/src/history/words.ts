/** Changes in words. */
import { humanise } from "../text.ts";
import type { Change, ChangedRow } from "../api/shapes.ts";

/** A value as a person reads it; nothing at all is a dash. */
export function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length ? value.map(shown).join(", ") : "–";
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

/** "racks" → "rack", "power-feeds" → "power feed". */
export function oneOf(kind: string): string {
  const words = kind.replaceAll("-", " ");
  if (words.endsWith("ies")) return `${words.slice(0, -3)}y`;
  if (/(s|x|ch|sh)es$/.test(words)) return words.slice(0, -2);
  return words.endsWith("s") && !words.endsWith("ss") ? words.slice(0, -1) : words;
}

type Undoing = NonNullable<Change["undoing"]>;

/** Whether an undo in the background goes on. */
export const isOpen = (undoing: Undoing) => undoing.status === "queued" || undoing.status === "running";

/** "undoing, 40 %"; one that ended without doing it says how. */
export function undoingInWords(undoing: Undoing): string {
  if (!isOpen(undoing)) return `undo ${undoing.status}`;
  return undoing.total ? `undoing, ${Math.floor((100 * undoing.done) / undoing.total)} %` : "undoing";
}

/** Kinds one looks for; the address may name any other. */
export const HISTORY_KINDS = [
  "racks", "devices", "cables", "ports", "components", "stock", "placements", "ip-addresses", "device-models",
  "power-feeds", "rooms", "sites", "tags", "custom-fields", "users", "tickets",
];

const PAGES: Record<string, string> = {
  racks: "/racks/",
  rows: "/rows/",
  cables: "/cables/",
  ports: "/ports/",
  components: "/components/",
  machines: "/machines/",
};

/** The page of a changed record, if it has one and is still there. */
export function pageOf(row: ChangedRow): string | null {
  const page = PAGES[row.kind];
  return page && row.object !== null && row.action !== "deleted" ? page + row.object : null;
}

/** Fields worth a line: those that changed; of a new or deleted record those that say something. */
export function told(row: ChangedRow): [string, string, string][] {
  return Object.entries(row.fields)
    .map(([name, { before, after }]): [string, string, string] => [humanise(name), shown(before), shown(after)])
    .filter(([, before, after]) => before !== after);
}
