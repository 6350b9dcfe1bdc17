/** Filters of a table: what stands in the address is what the server is asked. */
import type { KindField } from "./shapes.ts";

/** Query names that are the page's own, not the server's. */
const OWN = new Set(["columns", "page", "page_size", "fields", "omit"]);

export interface Operator {
  /** After the field's name in the query; "" for equality. */
  lookup: string;
  word: string;
  /** What one gives it. */
  takes: "text" | "number" | "date" | "choice" | "choices" | "yes" | "words" | "nothing";
  /** The value, for an operator that takes nothing. */
  value?: string;
  /** Asks for the name of what a reference leads to. */
  byName?: boolean;
}

export interface Filter {
  field: KindField;
  operator: Operator;
  value: string;
}

const EMPTY: Operator[] = [
  { lookup: "isnull", word: "is empty", takes: "nothing", value: "true" },
  { lookup: "isnull", word: "is not empty", takes: "nothing", value: "false" },
];
const ordered = (takes: Operator["takes"]): Operator[] => [
  { lookup: "", word: "is", takes },
  { lookup: "ne", word: "is not", takes },
  { lookup: "gte", word: "at least", takes },
  { lookup: "lte", word: "at most", takes },
  { lookup: "in", word: "is one of", takes: "words" },
  ...EMPTY,
];
const OPERATORS: Record<KindField["type"], Operator[]> = {
  text: [
    { lookup: "icontains", word: "contains", takes: "text" },
    { lookup: "", word: "is", takes: "text" },
    { lookup: "ne", word: "is not", takes: "text" },
    { lookup: "istartswith", word: "starts with", takes: "text" },
    { lookup: "iendswith", word: "ends with", takes: "text" },
    { lookup: "in", word: "is one of", takes: "words" },
    ...EMPTY,
  ],
  integer: ordered("number"),
  number: ordered("number"),
  date: ordered("date"),
  datetime: ordered("date"),
  boolean: [{ lookup: "", word: "is", takes: "yes" }, ...EMPTY],
  choice: [
    { lookup: "in", word: "is one of", takes: "choices" },
    { lookup: "ne", word: "is not", takes: "choice" },
    { lookup: "", word: "is", takes: "choice" },
    ...EMPTY,
  ],
  reference: [
    { lookup: "icontains", word: "name contains", takes: "text", byName: true },
    { lookup: "", word: "name is", takes: "text", byName: true },
    { lookup: "istartswith", word: "name starts with", takes: "text", byName: true },
    { lookup: "in", word: "name is one of", takes: "words", byName: true },
    // The same by id or natural name, as pages link to it.
    { lookup: "", word: "is", takes: "text" },
    ...EMPTY,
  ],
  list: [
    { lookup: "", word: "has", takes: "text" },
    { lookup: "in", word: "has one of", takes: "words" },
    ...EMPTY,
  ],
  object: [],
};

/** What a column can be filtered by, the most useful first. */
export function operatorsOf(field: KindField): Operator[] {
  return OPERATORS[field.type].filter((operator) => field.lookups.includes(operator.lookup));
}

export function nameOf(field: KindField, operator: Operator): string {
  const base = operator.byName ? `${field.name}_name` : field.name;
  return operator.lookup ? `${base}__${operator.lookup}` : base;
}

/** The filters in an address that belong to these fields. */
export function filtersIn(query: URLSearchParams, fields: KindField[]): Filter[] {
  const known = new Map<string, { field: KindField; operators: Operator[] }>();
  for (const field of fields) {
    for (const operator of operatorsOf(field)) {
      const name = nameOf(field, operator);
      const entry = known.get(name) ?? { field, operators: [] };
      known.set(name, { field, operators: [...entry.operators, operator] });
    }
  }
  const found: Filter[] = [];
  for (const [name, value] of query) {
    const entry = known.get(name);
    const operator = entry?.operators.find((each) => each.value === undefined || each.value === value);
    if (entry && operator && value !== "") found.push({ field: entry.field, operator, value });
  }
  return found;
}

/** What the server is asked: all of the address that is not the page's own. A name it does not know it refuses aloud. */
export function apiQuery(query: URLSearchParams): Record<string, string[]> {
  const asked: Record<string, string[]> = {};
  for (const [name, value] of query) {
    if (OWN.has(name) || value === "") continue;
    (asked[name] ??= []).push(value);
  }
  return asked;
}

/** Names in an address that narrow the rows. */
export const narrowed = (query: URLSearchParams): string[] => Object.keys(apiQuery(query)).filter((name) => name !== "ordering");

export function filterText(filter: Filter): string {
  const value = filter.operator.takes === "nothing" ? "" : ` ${filter.value.replaceAll(",", ", ")}`;
  return `${filter.operator.word}${value}`;
}
