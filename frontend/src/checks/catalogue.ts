/** Which checks of the catalogue are shown, in their families. Pure. */
import type { CatalogueItem } from "./shapes.ts";

export const SHOW = ["failing", "silenced", "observed", "adjusted"] as const;
export type Show = (typeof SHOW)[number];
export const SHOW_WORD: Record<Show, string> = { failing: "Failing now", silenced: "Silenced", observed: "Audit mode", adjusted: "Own limits" };

const SHOWN: Record<Show, (check: CatalogueItem) => boolean> = {
  failing: (check) => check.failing > 0,
  silenced: (check) => check.silences > 0,
  observed: (check) => check.audit_mode,
  adjusted: (check) => check.overrides > 0,
};

export interface Family {
  name: string;
  checks: CatalogueItem[];
}

/** Families in the order of the catalogue; those with nothing to show are left out. */
export function familiesOf(checks: CatalogueItem[], show: Show | null, search: string): Family[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const families = new Map<string, CatalogueItem[]>();
  for (const check of checks) {
    const text = `${check.id} ${check.title} ${check.family} ${check.advice} ${check.fault_classes.join(" ")}`.toLowerCase();
    if ((show && !SHOWN[show](check)) || !words.every((word) => text.includes(word))) continue;
    families.set(check.family, [...(families.get(check.family) ?? []), check]);
  }
  return [...families].map(([name, found]) => ({ name, checks: found }));
}

export const countOf = (checks: CatalogueItem[], show: Show): number => checks.filter(SHOWN[show]).length;
