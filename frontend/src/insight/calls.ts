/** Every call about how repairs go, by name. */
import { get, linkTo, post, put } from "../api/client.ts";
import type { Body, Query } from "../api/schema.ts";

type Span = Query<"/api/insight/">;
export const insight = (query: Span) => get("/api/insight/", { query });
export const insightCsvUrl = (table: Table, query: Span) => linkTo("/api/insight/{table}.csv", { path: { table }, query });
export const reportUrl = (site: number) => linkTo("/api/insight/report.pdf", { query: { site } });
export const sendReport = (site: number) => post("/api/insight/report/send/", { query: { site } });
export const subscribe = (site: number, subscribed: boolean) => put("/api/insight/report/subscription/", { query: { site }, body: { subscribed } });
export const settings = (site: number) => get("/api/insight/settings/", { query: { site } });
export const changeSettings = (site: number, body: Body<"/api/insight/settings/", "put">) => put("/api/insight/settings/", { query: { site }, body });

export type Table = "times" | "groups" | "weeks" | "ageing" | "parts" | "steps";
