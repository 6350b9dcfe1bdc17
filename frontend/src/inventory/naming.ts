/** The name a place gives a device, as a proposal: the server knows the rules and judges. Same fields as its patterns. */

export interface NamedPlace {
  room: string;
  row: string;
  rack: string;
  u: number | null;
  n: number | null;
  tier: string;
  feed: string;
  side: string;
}

/** Null when the place lacks something that the pattern names. */
export function nameByRule(pattern: string, place: NamedPlace): string | null {
  let complete = true;
  const name = pattern.replace(/\{([a-z]+)(?::([a-z0-9]+))?\}/g, (_, field: string, style = "") => {
    const shown = show((place as unknown as Record<string, string | number | null | undefined>)[field], style);
    if (!shown) complete = false;
    return shown;
  });
  return complete ? name : null;
}

function show(value: string | number | null | undefined, style: string): string {
  if (value === null || value === undefined || value === "") return "";
  const width = /^\d+$/.test(style) ? Number(style) : 0;
  if (typeof value === "number") return String(value).padStart(width || 1, "0");
  if (width) return /\d+$/.exec(value)?.[0]?.replace(/^0+(?=\d)/, "").padStart(width, "0") ?? "";
  const text = value.toLowerCase().replace(/[^a-z0-9._-]+/g, "-").replace(/^-+|-+$/g, "");
  if (style === "short") return text.split(/[._-]+/).map((word) => word[0] ?? "").join("");
  return style === "upper" ? text.toUpperCase() : text;
}
