/** Calls about who changed what. */
import type { Change } from "../history/types.ts";
import { get, post, type Query } from "./client.ts";
import type { Page } from "./types.ts";

export const changes = (query: Query) => get<Page<Change>>("history/", query);
export const change = (id: number) => get<Change>(`history/${id}/`);
export const undo = (id: number) => post<Change>(`history/${id}/undo/`);
