/** The parts of provisioning, in the order of their tabs. A page that is added stands here, in the router and in App. */
import type { Section } from "../lib/inventorySections.ts";
import type { Route } from "../router.svelte.ts";

export const PROVISIONING_SECTIONS: Section[] = [
  { href: "/provisioning", word: "Runs", routes: ["runs", "run"] },
  { href: "/provisioning/stages", word: "Stages", routes: ["stages"] },
  { href: "/provisioning/limits", word: "Limits", routes: ["limits"] },
  { href: "/provisioning/intake", word: "Intake", routes: ["intake", "intakeFloor"] },
  { href: "/provisioning/discovery", word: "Discovery", routes: ["bmcs"] },
  { href: "/provisioning/returns", word: "Returns", routes: ["returns"] },
  { href: "/provisioning/bmc", word: "BMC set-up", routes: ["bmcSetup"] },
  { href: "/provisioning/software", word: "Base software", routes: ["software"] },
  { href: "/provisioning/images", word: "Images", routes: ["images"] },
  { href: "/provisioning/mirrors", word: "Mirrors", routes: ["mirrors"] },
];

export const PROVISIONING_ROUTES: Route["name"][] = PROVISIONING_SECTIONS.flatMap((section) => section.routes);
