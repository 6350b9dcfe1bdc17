/** Every call about annotations, by name. */
import { del, exchange, post } from "../api/client.ts";
import type { Body } from "../api/schema.ts";
import type { Annotation } from "./shapes.ts";

/** More than anybody reads beside a chart; the newest. */
const MOST = 200;

export const annotations = async (site: number, to: string) =>
  (await exchange<{ results: Annotation[] }>("get", "/api/annotations/", { query: { site, at__lte: to, ordering: "-at", page_size: MOST } })).data.results;
export const annotate = (body: Body<"/api/annotations/", "post">) => post("/api/annotations/", { body });
export const remove = (id: number) => del("/api/annotations/{id}/", { path: { id } });
