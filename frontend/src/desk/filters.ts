/** The filters of the list of tickets: between the address of the page and what the API is asked. */
export const PAGE_SIZE = 50;

type Asked = Record<string, string | boolean | number | string[]>;

/** Of the first row of buttons: one at a time. */
export const SHOWN: [id: string, word: string, asks: Asked][] = [
  ["active", "Active", { active: true, snoozed: false }],
  ["mine", "Mine", { mine: true, active: true }],
  ["watched", "Watched", { watched: true, active: true }],
  ["overdue", "Overdue", { overdue: true }],
  ["open", "Open", { status: "open" }],
  ["in_work", "In progress", { status: "in_work" }],
  ["verifying", "Verifying", { status: "verifying" }],
  ["snoozed", "Snoozed", { snoozed: true, active: true }],
  ["closed", "Closed", { status: "closed" }],
];

/** Names in the address that the list is asked as they are; those that may be given several times first. */
const MANY = ["queue", "priority"];
const ONE = ["rack", "row", "assignee", "acknowledged", "fault_class", "due_before"];

/** What of the address narrows the list. */
const KEPT = ["filter", "search", ...MANY, ...ONE];

/** What the list is asked, without its page. */
export function asked(query: URLSearchParams): Asked {
  const shown = query.get("filter") ?? "active";
  const found: Asked = { ...(SHOWN.find(([id]) => id === shown)?.[2] ?? {}) };
  for (const name of MANY) if (query.has(name)) found[name] = query.getAll(name).flatMap((value) => value.split(",")).filter(Boolean);
  for (const name of ONE) if (query.get(name)) found[name] = query.get(name)!;
  const search = query.get("search");
  if (search) found.search = search;
  found.ordering = shown === "closed" ? "-closed_at" : "priority,due_at,number";
  return found;
}

/** Whether the address asks for anything but what everybody sees first. */
export const isNarrowed = (query: URLSearchParams): boolean => KEPT.some((name) => (query.get(name) ?? "") !== "");
