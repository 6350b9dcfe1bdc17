/** Calls about who changed what. */
import { get, post } from "./client.ts";
import type { Query } from "./schema.ts";

export const changes = (query: Query<"/api/history/">) => get("/api/history/", { query });
export const change = (id: number) => get("/api/history/{id}/", { path: { id } });
/** The change that took it back, or the work in the background that does: a change of many rows. */
export const undo = (id: number) => post("/api/history/{id}/undo/", { path: { id } });
