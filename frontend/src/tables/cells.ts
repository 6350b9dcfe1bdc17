/** Cells of a table: what a value looks like, and what a typed or pasted text means. */
import type { Schemas } from "../api/schema.ts";
import { humanise } from "../text.ts";
import type { Kind, KindField } from "./shapes.ts";
import type { Entry, Row } from "./entry.ts";

export const CUSTOM = "cf_";
const YES = new Set(["yes", "true", "1", "y"]);
const NO = new Set(["no", "false", "0", "n"]);
const DEFAULT_COLUMNS = 9;

/** "height_u" in U reads "Height (U)": the unit is not said twice. */
export function titleOf(field: KindField): string {
  if (!field.unit || field.title.toLowerCase() === field.unit.toLowerCase()) return humanise(field.title);
  const suffix = field.name.slice(field.name.lastIndexOf("_") + 1);
  return `${humanise(field.title.replace(new RegExp(` ${suffix}$`), ""))} (${field.unit})`;
}

/** The field by which one knows a record: the last of its natural key. */
export const labelOf = (kind: Kind): string => kind.key.at(-1) ?? "id";

export function editable(kind: Kind, field: KindField): boolean {
  return kind.may_write && !field.read_only && field.type !== "object";
}

/** Columns one may choose: `custom` itself is seen field by field. */
export const choosable = (kind: Kind): KindField[] => kind.fields.filter((field) => field.name !== "custom");

export function chosenColumns(kind: Kind, wanted: string | null): KindField[] {
  const known = choosable(kind);
  const named = (wanted ?? "").split(",").flatMap((name) => known.find((field) => field.name === name) ?? []);
  if (named.length) return [...new Set(named)];
  const label = labelOf(kind);
  const first = known.filter((field) => field.name === label);
  const key = known.filter((field) => kind.key.includes(field.name) && field.name !== label);
  const others = known.filter((field) => !kind.key.includes(field.name) && (field.type !== "object" || known.length < 4));
  return [...first, ...key, ...others].slice(0, DEFAULT_COLUMNS);
}

/** What to ask the server for, so that these columns can be drawn. */
export function answerFields(columns: KindField[]): string[] {
  const names = columns.flatMap((field) => {
    if (field.name.startsWith(CUSTOM)) return ["custom"];
    return field.references ? [field.name, `${field.name}_name`] : [field.name];
  });
  return [...new Set(["id", ...names])];
}

export function valueOf(field: KindField, row: Row): unknown {
  if (!field.name.startsWith(CUSTOM)) return row[field.name] ?? null;
  return (row.custom as Record<string, unknown> | undefined)?.[field.name.slice(CUSTOM.length)] ?? null;
}

/** A connector of a cable as it is answered, or as it is typed and sent. */
type Connector = Schemas["CableConnectorAnswer"] | Schemas["CableConnector"];

function connectorText(end: Connector): string {
  if (end.port === null) return "not plugged in";
  return "device_name" in end ? `${end.device_name} ${end.port_name}` : `${end.device} ${end.port}`;
}

/** The text of a value; nothing is an empty text, as in a spreadsheet. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) {
    const connectors = value.every((each) => typeof each === "object" && each !== null && "port" in each);
    if (value.length && connectors) return (value as Connector[]).map(connectorText).join("; ");
    return value.map((each) => (typeof each === "object" ? JSON.stringify(each) : String(each))).join(", ");
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function shownText(field: KindField, row: Row): string {
  if (field.references) return textOf(row[`${field.name}_name`] ?? row[field.name]);
  return textOf(valueOf(field, row));
}

const EMPTY: Partial<Record<KindField["type"], unknown>> = { text: "", list: [] };

/** What a typed text means in this field. The server has the last word; this finds what it could never take. */
export function parse(field: KindField, typed: string, before: unknown = null): Entry {
  const text = field.type === "text" ? typed : typed.trim();
  if (text.trim() === "") {
    const empty = field.nullable ? null : EMPTY[field.type];
    if (empty === undefined || (field.required && !field.nullable)) return { value: null, text: "", problem: "This may not be empty." };
    return { value: empty, text: "" };
  }
  switch (field.type) {
    case "integer":
    case "number":
      return number(field, text);
    case "boolean": {
      const word = text.toLowerCase();
      if (!YES.has(word) && !NO.has(word)) return { value: text, text, problem: "Say yes or no." };
      return { value: YES.has(word), text: YES.has(word) ? "yes" : "no" };
    }
    case "choice": {
      const found = field.choices?.find((choice) => choice.toLowerCase() === text.toLowerCase());
      return found === undefined ? { value: text, text, problem: `One of ${(field.choices ?? []).filter(Boolean).join(", ")}.` } : { value: found, text: found };
    }
    case "date":
      return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
        ? { value: text, text }
        : { value: text, text, problem: "A date such as 2027-03-31." };
    case "list":
      return field.name === "a" || field.name === "b" ? connectors(text, before) : list(text);
    default:
      return { value: text, text };
  }
}

function number(field: KindField, text: string): Entry {
  // A spreadsheet may write 1,234 or, elsewhere, 3,5: only a plain number has one meaning.
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return { value: text, text, problem: "A number such as 42." };
  const value = Number(text);
  if (field.type === "integer" && !Number.isInteger(value)) return { value: text, text, problem: "A whole number." };
  return { value, text: String(value) };
}

function list(text: string): Entry {
  const words = text.split(",").map((word) => word.trim()).filter(Boolean);
  return { value: words, text: words.join(", ") };
}

/** "dgx-01 ib1; dgx-01 ib2"; each keeps its connector, lane and serial while there are as many as before. */
function connectors(text: string, before: unknown): Entry {
  const parts = text.split(";").map((part) => part.trim()).filter(Boolean);
  const old = Array.isArray(before) && before.length === parts.length ? (before as Connector[]) : [];
  const found = parts.map((part, at) => {
    const [device, ...port] = part.split(/\s+/);
    const was = old[at];
    return { device, port: port.join(" "), ...(was && { connector: was.connector, lane: was.lane, serial: was.serial }) };
  });
  if (found.some((end) => !end.port)) return { value: text, text, problem: "A device and its port, such as leaf-1 1/1; several with semicolons between." };
  return { value: found, text: found.map(connectorText).join("; ") };
}

/** Whether nothing would change: nothing at all has several faces. */
export function same(a: unknown, b: unknown): boolean {
  const empty = (value: unknown) => value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length);
  return (empty(a) && empty(b)) || JSON.stringify(a) === JSON.stringify(b);
}
