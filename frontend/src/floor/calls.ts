/** Every call about what the floor is coloured by, by name. */
import { get, post } from "../api/client.ts";
import type { Body } from "../api/schema.ts";

export const layers = () => get("/api/floor/layers/", {});
export const values = (room: number, of: string) => get("/api/floor/values/", { query: { room, of } });
export const many = (body: Body<"/api/machines/bulk/", "post">) => post("/api/machines/bulk/", { body });
