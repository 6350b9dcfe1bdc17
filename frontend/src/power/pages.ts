/** The pages of power, by what follows `/power/` in the address. They are found here and not in the router, which everybody
 * loads first, also a phone in the aisle. */
import type { Component } from "svelte";

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- pages take different props
type Loaded = Promise<{ default: Component<any> }>;

export interface Page {
  /** The section whose tab is lit. */
  section: string;
  load: () => Loaded;
  id: string;
}

const PAGES: [RegExp, string, () => Loaded][] = [
  [/^$/, "/power", () => import("./pages/Overview.svelte")],
  [/^racks\/(\d+)$/, "/power", () => import("./pages/Rack.svelte")],
  [/^findings$/, "/power/findings", () => import("./pages/Findings.svelte")],
  [/^feeds$/, "/power/feeds", () => import("./pages/Feeds.svelte")],
  [/^feeds\/(\d+)$/, "/power/feeds", () => import("./pages/Feed.svelte")],
  [/^planned$/, "/power/planned", () => import("../pages/Power.svelte")],
  [/^energy$/, "/power/energy", () => import("./pages/Energy.svelte")],
  [/^meters$/, "/power/meters", () => import("./pages/Meters.svelte")],
  [/^meters\/(\d+)$/, "/power/meters", () => import("./pages/Meter.svelte")],
  [/^proposals$/, "/power/proposals", () => import("./pages/Proposals.svelte")],
  [/^policy$/, "/power/policy", () => import("./pages/Policy.svelte")],
];

export function pageOf(rest: string): Page {
  for (const [pattern, section, load] of PAGES) {
    const found = pattern.exec(rest);
    if (found) return { section, load, id: found[1] ?? "" };
  }
  return { section: "", load: () => import("../pages/Nowhere.svelte"), id: "" };
}
