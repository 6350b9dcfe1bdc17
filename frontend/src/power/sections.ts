/** The parts of power, in the order of their tabs. A page that is added stands here and in pages.ts. */
import type { Section } from "../lib/inventorySections.ts";

const section = (href: string, word: string): Section => ({ href, word, routes: ["power"] });

export const POWER_SECTIONS: Section[] = [
  section("/power", "Power"),
  section("/power/findings", "Findings"),
  section("/power/feeds", "Feeds"),
  section("/power/planned", "Planned"),
  section("/power/energy", "Energy"),
  section("/power/meters", "Meters"),
  section("/power/proposals", "Proposals"),
  section("/power/policy", "Policy"),
];
