/** What the desk asks the service for. */
import { get, post, whole } from "../api/client.ts";
import type { Body, Query } from "../api/schema.ts";

export const board = (query: Query<"/api/tickets/board/">) => get("/api/tickets/board/", { query });
export const people = (site: number | null) => whole(get("/api/tickets/people/", { query: site === null ? {} : { site } }));
export const bulk = (body: Body<"/api/tickets/bulk/", "post">) => post("/api/tickets/bulk/", { body });
