/** The parts of the checks, in the order of their tabs. A page that is added stands here, in the router and in App. */
import type { Section } from "../lib/inventorySections.ts";
import type { Route } from "../router.svelte.ts";

export const CHECK_SECTIONS: Section[] = [
  { href: "/checks", word: "Matrix", routes: ["matrix"] },
  { href: "/checks/catalogue", word: "Catalogue", routes: ["catalogue", "check"] },
  { href: "/checks/sweeps", word: "Sweeps", routes: ["sweeps", "sweep"] },
  { href: "/checks/kernel-lines", word: "Kernel lines", routes: ["kernelLines"] },
  { href: "/checks/muted", word: "Muted and adjusted", routes: ["muted"] },
];

export const CHECK_ROUTES: Route["name"][] = CHECK_SECTIONS.flatMap((section) => section.routes);
