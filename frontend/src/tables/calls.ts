/** Kinds of records, their rows, and writes of many of them at once. */
import { type AnyQuery, exchange, get, whole } from "../api/client.ts";
import * as history from "../api/history.ts";
import type { Verb } from "../api/schema.ts";
import type { Kind } from "./shapes.ts";
import type { Row } from "./entry.ts";

export const PAGE_SIZE = 1000;

let known: Promise<Kind[]> | null = null;
/** The kinds of records. They change with the release and with custom fields only, so one answer lasts a while. */
export function kinds(fresh = false): Promise<Kind[]> {
  if (fresh || !known) {
    known = whole(get("/api/kinds/"));
    known.catch(() => (known = null));
  }
  return known;
}

interface Rows {
  count: number;
  results: Row[];
}
export const rows = async (kind: string, query: AnyQuery, signal?: AbortSignal) =>
  (await exchange<Rows>("get", "/api/{kind}/", { path: { kind }, query, signal })).data;
export const row = async (kind: string, id: number, query: AnyQuery) => (await exchange<Row>("get", "/api/{kind}/{id}/", { path: { kind, id }, query })).data;

export interface Written {
  rows: Row[];
  requestId: string;
}
async function write(verb: Verb, kind: string, body: unknown, fields: string[]): Promise<Written> {
  const { data, requestId } = await exchange<Row[] | null>(verb, "/api/{kind}/", { path: { kind }, query: { fields: fields.join(",") }, body });
  return { rows: data ?? [], requestId };
}
export const change = (kind: string, body: unknown, fields: string[]) => write("patch", kind, body, fields);
export const create = (kind: string, body: unknown, fields: string[]) => write("post", kind, body, fields);
export const remove = (kind: string, ids: number[]) => write("delete", kind, ids, []);

/** Take back what these requests changed, the latest first. Raises an ApiError that says what stands in the way. */
export async function takeBack(requests: string[]): Promise<void> {
  for (const request of [...requests].reverse()) {
    const page = await history.changes({ request_id: request, page_size: 50 });
    if (!page.results.length) throw new Error("the history does not have it yet; check there in a moment");
    for (const change of page.results) await history.undo(change.id);
  }
}

/** Records of a kind whose name begins with or holds a text; what is around the name tells them apart. */
export async function suggestions(kind: Kind, text: string, signal?: AbortSignal): Promise<{ id: number; title: string; note: string }[]> {
  const label = kind.key.at(-1) ?? "id";
  const around = kind.key.slice(0, -1).map((name) => `${name}_name`);
  const field = kind.fields.find((each) => each.name === label);
  const query: AnyQuery = { fields: ["id", label, field?.references ? `${label}_name` : "", ...around].filter(Boolean).join(","), page_size: 20, ordering: label };
  if (text) query[field?.references ? `${label}_name__icontains` : `${label}__icontains`] = text;
  const page = await rows(kind.name, query, signal);
  const found = page.results.map((row) => ({
    id: row.id,
    title: String(row[`${label}_name`] ?? row[label] ?? row.id),
    note: around.map((name) => row[name]).filter(Boolean).join(" · "),
  }));
  const wanted = text.toLowerCase();
  const rank = (title: string) => (title.toLowerCase() === wanted ? 0 : title.toLowerCase().startsWith(wanted) ? 1 : 2);
  return wanted ? found.sort((a, b) => rank(a.title) - rank(b.title)) : found;
}
