/** The parts of the fabric, in the order of its tabs. */
import type { Section } from "../lib/inventorySections.ts";
import type { Route } from "../router.svelte.ts";

export const FABRIC_SECTIONS: Section[] = [
  { href: "/fabric", word: "Overview", routes: ["fabric"] },
  { href: "/fabric/findings", word: "Findings", routes: ["findings", "finding"] },
  { href: "/fabric/links", word: "Links", routes: ["links", "link"] },
  { href: "/fabric/heat", word: "Heat", routes: ["heat"] },
  { href: "/fabric/events", word: "Events", routes: ["fabricEvents"] },
  { href: "/fabric/disabled", word: "Disabled ports", routes: ["disabledPorts"] },
  { href: "/fabric/burn-in", word: "Burn-in", routes: ["burnIns", "burnIn"] },
  { href: "/fabric/names", word: "Names", routes: ["fabricNames"] },
  { href: "/fabric/changes", word: "Changes", routes: ["fabricChanges"] },
  { href: "/fabric/sources", word: "Sources", routes: ["fabricSources", "fabricSource", "discovery"] },
  { href: "/fabric/plan", word: "Ports and plans", routes: ["fabricPlan"] },
];

export const FABRIC_ROUTES: Route["name"][] = FABRIC_SECTIONS.flatMap((section) => section.routes);
