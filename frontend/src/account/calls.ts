/** Every call about one's own account, by name. */
import { del, get, post } from "../api/client.ts";
import type { Body, Row } from "../api/schema.ts";

export type Token = Row<"/api/tokens/">;
export const tokens = () => get("/api/tokens/", { query: { page_size: 500 } });
export const addToken = (body: Body<"/api/tokens/", "post">) => post("/api/tokens/", { body });
export const removeToken = (id: string) => del("/api/tokens/{id}/", { path: { id } });
