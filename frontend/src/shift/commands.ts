/** What the palette offers besides what the server finds: pages to go to, and what may be done to what is on the page. Pure. */
import { ADMINISTRATION_SECTIONS } from "../administration/sections.ts";
import type { Role } from "../api/shapes.ts";
import { AUTOMATION_SECTIONS } from "../automation/sections.ts";
import { CHECK_SECTIONS } from "../checks/sections.ts";
import { FABRIC_SECTIONS } from "../fabric/sections.ts";
import type { IconName } from "../lib/Icon.svelte";
import { INVENTORY_SECTIONS, type Section } from "../lib/inventorySections.ts";
import { POWER_SECTIONS } from "../power/sections.ts";
import { PROVISIONING_SECTIONS } from "../provisioning/sections.ts";
import { RELIABILITY_SECTIONS } from "../reliability/sections.ts";
import { SCHEDULER_SECTIONS } from "../scheduler/sections.ts";

export type DoKind = "check" | "take" | "led-on" | "led-off" | "theme" | "star";

export interface Command {
  key: string;
  title: string;
  hint: string;
  icon: IconName;
  /** Where it leads, or what it does. */
  href?: string;
  run?: DoKind;
  /** Of a pair of the two: what it is done to. */
  of?: MachineOnPage | TicketOnPage;
}

export interface MachineOnPage {
  kind: "machine";
  id: number;
  name: string;
  site: number;
  state: string;
}

export interface TicketOnPage {
  kind: "ticket";
  key: string;
  title: string;
  version: number;
  may: readonly string[];
  /** Of one that is not closed: whether the locator LED is lit; null where that is not known. */
  led: boolean | null;
}

const AREAS: [string, IconName, readonly Section[]][] = [
  ["Checks", "checks", CHECK_SECTIONS],
  ["Automation", "automation", AUTOMATION_SECTIONS],
  ["Reliability", "trends", RELIABILITY_SECTIONS],
  ["Inventory", "inventory", INVENTORY_SECTIONS],
  ["Power", "power", POWER_SECTIONS],
  ["Fabric", "fabric", FABRIC_SECTIONS],
  ["Provisioning", "provisioning", PROVISIONING_SECTIONS],
  ["Training", "training", SCHEDULER_SECTIONS],
  ["Administration", "administration", ADMINISTRATION_SECTIONS],
];

/** Every page that needs no object, in the order of the navigation. */
export const PAGES: readonly Command[] = [
  { key: "/", title: "Floor", hint: "", icon: "floor", href: "/" },
  { key: "/machines", title: "Machines", hint: "", icon: "machines", href: "/machines" },
  { key: "/tickets", title: "Tickets", hint: "", icon: "tickets", href: "/tickets" },
  { key: "/machines/compare", title: "Compare two machines", hint: "", icon: "machines", href: "/machines/compare" },
  { key: "/wall", title: "Wall board", hint: "for a screen on the wall", icon: "floor", href: "/wall" },
  { key: "/hand-over", title: "Hand-over", hint: "since your shift began", icon: "clock", href: "/hand-over" },
  ...AREAS.flatMap(([area, icon, sections]) => sections.map(({ href, word }) => ({ key: href, title: word, hint: area, icon, href }))),
  { key: "/account/tokens", title: "API tokens", hint: "Account", icon: "api", href: "/account/tokens" },
];

export const wordsOfQuery = (query: string): string[] => query.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether each word of the query begins a word of the text. */
export function says(text: string, words: readonly string[]): boolean {
  const said = text.toLowerCase().split(/[\s·›–()/-]+/);
  return words.every((word) => said.some((each) => each.startsWith(word)));
}

/** What people keep, as the palette shows it. */
interface Kept {
  kind: "favourite" | "view";
  name: string;
  url: string;
}

/** As the menu has them: what one starred, then views, in which those of others are. */
const favouritesFirst = (kept: readonly Kept[]): Kept[] => [...kept.filter(({ kind }) => kind === "favourite"), ...kept.filter(({ kind }) => kind === "view")];

/** Pages that a query names: kept ones, then those whose own name has its words; without a query all that is kept. */
export function pagesFor(query: string, kept: readonly Kept[] = [], most = 5): Command[] {
  const words = wordsOfQuery(query);
  const mine = favouritesFirst(kept).filter((each) => says(each.name, words)).map(({ kind, name, url }): Command => ({ key: `kept${url}`, title: name, hint: kind === "view" ? "saved view" : "favourite", icon: kind === "view" ? "bookmark" : "star", href: url }));
  if (!words.length) return mine;
  const own = PAGES.filter((page) => says(page.title, words));
  const others = PAGES.filter((page) => !own.includes(page) && says(`${page.title} ${page.hint}`, words));
  return [...mine.slice(0, most), ...[...own, ...others].slice(0, most)];
}

/** What may be done now, to what is on the page and at all. The server decides again. */
export function actionsFor(onPage: MachineOnPage | TicketOnPage | null, may: (role: Role, site?: number) => boolean, starable = false): Command[] {
  const found: Command[] = [];
  if (onPage?.kind === "machine" && may("operator", onPage.site)) {
    const { id, name, site } = onPage;
    found.push(
      { key: "check", title: `Check ${name}`, hint: "every check, now", icon: "retry", run: "check", of: onPage },
      { key: "test", title: `Test ${name} under load`, hint: "asks before it starts", icon: "checks", href: `/automation/tests?new=1&machine=${id}&site=${site}` },
      { key: "remedy", title: `Remedies of ${name}`, hint: "", icon: "automation", href: `/machines/${id}?tab=remedies` },
    );
  }
  if (onPage?.kind === "ticket") {
    const { key, may: actions, led } = onPage;
    if (actions.includes("take")) found.push({ key: "take", title: `Take ${key}`, hint: onPage.title, icon: "tickets", run: "take", of: onPage });
    if (actions.includes("comment") && led === false) found.push({ key: "led", title: `Light the locator LED of ${key}`, hint: "", icon: "power", run: "led-on", of: onPage });
    if (actions.includes("comment") && led) found.push({ key: "led", title: `Stop the locator LED of ${key}`, hint: "", icon: "power", run: "led-off", of: onPage });
  }
  if (starable) found.push({ key: "star", title: "Add this page to your favourites, or take it out", hint: "", icon: "star", run: "star" });
  found.push({ key: "theme", title: "Switch between light and dark", hint: "theme", icon: "theme", run: "theme" });
  return found;
}

/** The actions that a query names; all of them without one. */
export function actionsMatching(actions: readonly Command[], query: string): Command[] {
  const words = wordsOfQuery(query);
  return actions.filter((each) => says(`${each.title} ${each.hint}`, words));
}

/** A text in pieces, those that a word of the query names marked; for each word the first place where a word begins so. */
export function pieces(text: string, words: readonly string[]): { text: string; marked: boolean }[] {
  const marks = new Array<boolean>(text.length).fill(false);
  const lower = text.toLowerCase();
  for (const word of words) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
      const begins = at === 0 || /[\s·›–()/-]/.test(lower[at - 1]!);
      if (!begins) continue;
      marks.fill(true, at, at + word.length);
      break;
    }
  }
  const found: { text: string; marked: boolean }[] = [];
  for (let i = 0; i < text.length; i++) {
    const last = found.at(-1);
    if (last && last.marked === marks[i]) last.text += text[i];
    else found.push({ text: text[i]!, marked: marks[i]! });
  }
  return found;
}
