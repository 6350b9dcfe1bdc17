/** The parts of the administration, in the order of their tabs. A page that is added stands here, in the router and in App. */
import type { Section } from "../lib/inventorySections.ts";
import type { Route } from "../router.svelte.ts";

export const ADMINISTRATION_SECTIONS: Section[] = [
  { href: "/administration/identities", word: "Identity changes", routes: ["identities"] },
  { href: "/administration/desk", word: "Desk", routes: ["deskPolicies"] },
  { href: "/administration/vendors", word: "Vendors", routes: ["vendorContacts"] },
  { href: "/administration/channels", word: "Channels", routes: ["messageChannels"] },
  { href: "/administration/on-call", word: "On call", routes: ["onCall"] },
  { href: "/administration/ticket-systems", word: "Ticket systems", routes: ["ticketSystems"] },
  { href: "/administration/messages", word: "Messages", routes: ["messages"] },
  { href: "/administration/webhooks", word: "Webhooks", routes: ["webhooks", "webhook"] },
];

export const ADMINISTRATION_ROUTES: Route["name"][] = ADMINISTRATION_SECTIONS.flatMap((section) => section.routes);
