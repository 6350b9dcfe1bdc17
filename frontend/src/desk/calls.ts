/** What the desk asks the service for. */
import { get, patch, post, whole } from "../api/client.ts";
import type { Body, Query } from "../api/schema.ts";

export const board = (query: Query<"/api/tickets/board/">) => get("/api/tickets/board/", { query });
export const people = (site: number | null) => whole(get("/api/tickets/people/", { query: site === null ? {} : { site } }));
export const bulk = (body: Body<"/api/tickets/bulk/", "post">) => post("/api/tickets/bulk/", { body });

export const policies = () => get("/api/desk-policies/", { query: { page_size: 500 } });
export const changePolicy = (site: number, body: Body<"/api/desk-policies/{id}/", "patch">) => patch("/api/desk-policies/{id}/", { path: { id: site }, body });
