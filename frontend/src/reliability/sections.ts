/** The parts of reliability, in the order of their tabs. A page that is added stands here, in the router and in App. */
import type { Section } from "../lib/inventorySections.ts";
import type { Route } from "../router.svelte.ts";

export const RELIABILITY_SECTIONS: Section[] = [
  { href: "/reliability", word: "Trends", routes: ["trends"] },
  { href: "/insight", word: "Insight", routes: ["insight"] },
  { href: "/reliability/lemons", word: "Lemons", routes: ["lemons"] },
  { href: "/reliability/drift", word: "Drift", routes: ["drift"] },
  { href: "/reliability/golden", word: "Golden set", routes: ["golden"] },
  { href: "/reliability/reporters", word: "Reporters", routes: ["reporters"] },
  { href: "/reliability/watchdog", word: "Watchdog", routes: ["watchdog"] },
];

export const RELIABILITY_ROUTES: Route["name"][] = RELIABILITY_SECTIONS.flatMap((section) => section.routes);
