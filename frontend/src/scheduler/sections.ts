/** The pages of the scheduler, in the order of their tabs. A page that is added stands here, in the router and in App. */
import type { Section } from "../lib/inventorySections.ts";
import type { Route } from "../router.svelte.ts";

export const SCHEDULER_SECTIONS: Section[] = [
  { href: "/training", word: "Training runs", routes: ["trainingRuns", "trainingRun", "trainingComparison", "trainingLosses", "fitToStart"] },
  { href: "/scheduler", word: "Jobs", routes: ["jobs", "job"] },
  { href: "/scheduler/queue", word: "Queue", routes: ["jobQueue"] },
  { href: "/scheduler/partitions", word: "Partitions", routes: ["partitions"] },
  { href: "/scheduler/nodes", word: "Nodes", routes: ["schedulerNodes"] },
  { href: "/scheduler/history", word: "History", routes: ["jobHistory"] },
];

export const SCHEDULER_ROUTES: Route["name"][] = SCHEDULER_SECTIONS.flatMap((section) => section.routes);
