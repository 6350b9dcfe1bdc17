/** The calls of the desk's pages. */
import { del, get, post, whole } from "../api/client.ts";
import type { Body, Query } from "../api/schema.ts";

export const floorAt = (query: Query<"/api/floor/at/">) => get("/api/floor/at/", { query });
export const floorStrip = async (query: Query<"/api/floor/strip/">) => (await get("/api/floor/strip/", { query })).counts;
export const machineAt = (id: number, at: string) => get("/api/machines/{id}/at/", { path: { id }, query: { at } });
export const bookmarks = () => whole(get("/api/me/bookmarks/", {}));
export const keepPage = (body: Body<"/api/me/bookmarks/", "post">) => post("/api/me/bookmarks/", { body });
export const forgetPage = (id: number) => del("/api/me/bookmarks/{id}/", { path: { id } });
export const handOver = (query: Query<"/api/hand-over/">) => get("/api/hand-over/", { query });
export const writeNote = (body: Body<"/api/hand-over/notes/", "post">) => post("/api/hand-over/notes/", { body });
export const acknowledgeNote = (id: number) => post("/api/hand-over/notes/{id}/acknowledge/", { path: { id } });
