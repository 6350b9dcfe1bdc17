/** The parts of the inventory, in the order of its tabs. A new page adds its section and its routes here. */
import type { Route } from "../router.svelte.ts";

export interface Section {
  href: string;
  word: string;
  routes: Route["name"][];
}

export const INVENTORY_SECTIONS: Section[] = [
  { href: "/racks", word: "Racks", routes: ["racks", "rack", "row", "newDevice", "device", "place"] },
  { href: "/cables", word: "Cables", routes: ["cables", "cable", "port"] },
  { href: "/spares", word: "Spares", routes: ["spares", "component"] },
  { href: "/rma", word: "RMA", routes: ["rma"] },
  { href: "/tables", word: "Tables", routes: ["tables", "table"] },
  { href: "/import", word: "Import", routes: ["import"] },
  { href: "/export", word: "Export", routes: ["export"] },
  { href: "/reports", word: "Reports", routes: ["reports"] },
  { href: "/history", word: "History", routes: ["history"] },
];

export const INVENTORY_ROUTES: Route["name"][] = INVENTORY_SECTIONS.flatMap((section) => section.routes);
