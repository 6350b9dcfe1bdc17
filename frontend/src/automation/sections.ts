/** The parts of automation, in the order of their tabs. A page that is added stands here, in the router and in App. */
import type { Section } from "../lib/inventorySections.ts";
import type { Route } from "../router.svelte.ts";

export const AUTOMATION_SECTIONS: Section[] = [
  { href: "/automation", word: "Overview", routes: ["automation"] },
  { href: "/automation/incidents", word: "Incidents", routes: ["incidents", "incident"] },
  { href: "/automation/actions", word: "Actions", routes: ["actions"] },
  { href: "/automation/rules", word: "Rules", routes: ["rules"] },
  { href: "/automation/responses", word: "Responses", routes: ["responses"] },
  { href: "/automation/tests", word: "Active checks", routes: ["activeRuns", "activeRun"] },
  { href: "/automation/pools", word: "Pools", routes: ["pools"] },
  { href: "/automation/scheduler", word: "Scheduler", routes: ["scheduler"] },
];

export const AUTOMATION_ROUTES: Route["name"][] = AUTOMATION_SECTIONS.flatMap((section) => section.routes);
