/** Calls about who changed what. */
import { get, post } from "./client.ts";
import type { Query } from "./schema.ts";

export const changes = (query: Query<"/api/history/">) => get("/api/history/", { query });
export const change = (id: number) => get("/api/history/{id}/", { path: { id } });
export const undo = (id: number) => post("/api/history/{id}/undo/", { path: { id } });
