/** Kinds whose records have a page of their own. */
const PAGES: Record<string, string> = { racks: "/racks/", rows: "/rows/", cables: "/cables/", ports: "/ports/", components: "/components/" };

export const pageOfKind = (kind: string, id: number): string | null => (PAGES[kind] && id > 0 ? PAGES[kind] + id : null);
