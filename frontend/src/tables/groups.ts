/** The kinds of records in the order in which one thinks of them; a new kind stands under "Other" until it has a place. */
import type { Kind } from "./shapes.ts";

const GROUPS: [string, string[]][] = [
  ["Places", ["sites", "rooms", "rows", "aisles", "landmarks", "racks", "reservations"]],
  ["Devices", ["devices", "device-models", "ip-addresses", "naming-rules"]],
  ["Cabling", ["cables", "ports", "pass-throughs", "change-sets"]],
  ["Power", ["power-panels", "power-feeds"]],
  ["Parts", ["components", "stock", "storage-places"]],
];

export function groups(kinds: Kind[]): { word: string; kinds: Kind[] }[] {
  const rest = new Set(kinds);
  const found = GROUPS.map(([word, names]) => ({
    word,
    kinds: names.flatMap((name) => {
      const kind = kinds.find((each) => each.name === name);
      if (kind) rest.delete(kind);
      return kind ?? [];
    }),
  }));
  return [...found, { word: "Other", kinds: [...rest] }].filter((group) => group.kinds.length);
}
