/** How a site reaches a vendor, as it is typed: which fields a channel takes, and what TechDirect wants of the customer. Pure. */
import type { Contact } from "./calls.ts";

export type Channel = Contact["channel"];

/** The names are TechDirect's own; a site finds them in its TechDirect account. */
export const ACCOUNT = { TechEmail: "Mail address of the technician", Branch: "Branch", Customer: "Customer", Track: "Track" } as const;
export const ADDRESS = {
  AddressBookName: "Name in the address book",
  CountryISOCode: "Country (ISO code)",
  City: "City",
  State: "State",
  ZipPostalCode: "Postal code",
  AddressLine1: "Address",
  AddressLine2: "Address, line 2",
  AddressLine3: "Address, line 3",
  TimeZone: "Time zone",
} as const;
export type Account = Record<keyof typeof ACCOUNT | keyof typeof ADDRESS, string>;

/** The fields of the dialog from what is stored; what is no text there is left empty. */
export function accountOf(stored: unknown): Account {
  const outer = (stored ?? {}) as Record<string, unknown>;
  const inner = (outer.ship_to ?? {}) as Record<string, unknown>;
  const text = (of: Record<string, unknown>, name: string) => (typeof of[name] === "string" ? of[name] : "");
  return Object.fromEntries([
    ...Object.keys(ACCOUNT).map((name) => [name, text(outer, name)]),
    ...Object.keys(ADDRESS).map((name) => [name, text(inner, name)]),
  ]) as Account;
}

/** What is stored: only what was filled in. */
export function storedOf(account: Account): Record<string, unknown> {
  const filled = (names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, account[name as keyof Account].trim()]).filter(([, value]) => value));
  const address = filled(ADDRESS);
  return { ...filled(ACCOUNT), ...(Object.keys(address).length ? { ship_to: address } : {}) };
}

/** The line of the list: where cases go. */
export function whereTo(contact: Pick<Contact, "channel" | "mail_to" | "url">): string {
  if (contact.channel === "mail") return contact.mail_to;
  if (contact.channel === "hand") return "The vendor's portal";
  return contact.url;
}

/** What is missing before a case can be written; empty when nothing is. */
export const nobodyCalled = (contact: Pick<Contact, "person" | "phone" | "mail">): boolean => !(contact.person && contact.phone && contact.mail);
