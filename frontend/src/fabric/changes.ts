/** What changed between two times as rows of words, the newest first. Pure. */
import type { ChangedLink, ChangedNode, FabricChanges, SeenEnd } from "./shapes.ts";

export type ChangeKind = "come" | "gone" | "moved" | "rate" | "node_come" | "node_gone" | "node_changed";

export interface ChangeRow {
  kind: ChangeKind;
  at: string;
  words: string;
  before: string;
  /** Alike changes of one look that stand here as one. */
  many?: ChangeRow[];
}

/** A key for each row, its own whatever comes before or after: an opened row stays the opened one. */
export function keysOf(rows: readonly ChangeRow[]): string[] {
  const alike = new Map<string, number>();
  return rows.map((row) => {
    const name = `${row.at}/${row.kind}/${row.many?.length ?? ""}/${row.words}/${row.before}`;
    const nth = (alike.get(name) ?? 0) + 1;
    alike.set(name, nth);
    return `${name}/${nth}`;
  });
}

export const CHANGE_WORD: Record<ChangeKind, { word: string; tone: string }> = {
  come: { word: "Link come", tone: "ok" },
  gone: { word: "Link gone", tone: "fail" },
  moved: { word: "Moved", tone: "warn" },
  rate: { word: "Other rate", tone: "warn" },
  node_come: { word: "Device come", tone: "ok" },
  node_gone: { word: "Device gone", tone: "fail" },
  node_changed: { word: "Renamed", tone: "warn" },
};

/** The planned name where it has one, else what it reports, else its GUID. */
export const endWords = (end: SeenEnd): string => `${end.device || end.reported || end.guid} ${end.port}`;
const linkWords = (link: ChangedLink): string => `${endWords(link.a)} – ${endWords(link.b)}`;
const rateWords = (link: ChangedLink): string => [link.width, link.speed].filter(Boolean).join(" ") || "not reported";
const nodeWords = (node: ChangedNode): string =>
  node.device && node.reported && node.device !== node.reported ? `${node.device} (reports ${node.reported})` : node.device || node.reported || node.guid;

export function changeRows({ links, nodes }: FabricChanges): ChangeRow[] {
  const rows: ChangeRow[] = [
    ...links.come.map((link) => ({ kind: "come" as const, at: link.at, words: linkWords(link), before: "" })),
    ...links.gone.map((link) => ({ kind: "gone" as const, at: link.at, words: linkWords(link), before: "" })),
    ...links.moved.map(({ before, after }) => ({ kind: "moved" as const, at: after.at, words: linkWords(after), before: linkWords(before) })),
    ...links.rate.map(({ before, after }) => ({ kind: "rate" as const, at: after.at, words: `${linkWords(after)}: ${rateWords(after)}`, before: rateWords(before) })),
    ...nodes.come.map((node) => ({ kind: "node_come" as const, at: node.at, words: nodeWords(node), before: "" })),
    ...nodes.gone.map((node) => ({ kind: "node_gone" as const, at: node.at, words: nodeWords(node), before: "" })),
    ...nodes.changed.map(({ before, after }) => ({ kind: "node_changed" as const, at: after.at, words: nodeWords(after), before: nodeWords(before) })),
  ];
  return rows.sort((a, b) => b.at.localeCompare(a.at));
}

const MOST_APART = 20;
const PLURAL: Record<ChangeKind, string> = {
  come: "links came",
  gone: "links went",
  moved: "links moved",
  rate: "links have another rate",
  node_come: "devices came",
  node_gone: "devices went",
  node_changed: "devices were renamed",
};

/** A first look brings every link at once: more than twenty alike changes of one moment are told as one row. */
export function foldRows(rows: ChangeRow[]): ChangeRow[] {
  const alike = new Map<string, ChangeRow[]>();
  for (const row of rows) {
    const key = `${row.kind} ${row.at}`;
    const known = alike.get(key);
    if (known) known.push(row);
    else alike.set(key, [row]);
  }
  return [...alike.values()].flatMap((many) => {
    const [first] = many;
    if (!first || many.length <= MOST_APART) return many;
    return [{ ...first, words: `${many.length.toLocaleString("en")} ${PLURAL[first.kind]} with one discovery run`, before: "", many }];
  });
}
