/** Every call about the reliability of a fleet, by name. */
import { del, get, linkTo, patch, post, whole } from "../api/client.ts";
import type { Body, Query } from "../api/schema.ts";

export const trends = (query: Query<"/api/health/trends/">) => get("/api/health/trends/", { query });
export const trendsCsvUrl = (query: Query<"/api/health/trends.csv">) => linkTo("/api/health/trends.csv", { query });

export const lemons = (query: Query<"/api/health/lemons/">) => get("/api/health/lemons/", { query });
export const drift = (query: Query<"/api/health/drift/">) => get("/api/health/drift/", { query });

export const golden = (query: Query<"/api/health/golden/">) => get("/api/health/golden/", { query });
export const candidates = (query: Query<"/api/health/golden/candidates/">) => get("/api/health/golden/candidates/", { query });
export const spares = (site: number | null) => whole(get("/api/health/golden/spares/", { query: { site } }));
export const promote = (machine: number, reason: string) => post("/api/health/golden/{id}/promote/", { path: { id: machine }, body: { reason } });
export const demote = (machine: number, reason: string) => post("/api/health/golden/{id}/demote/", { path: { id: machine }, body: { reason } });

export const reporters = (query: Query<"/api/health/report-sources/">) => get("/api/health/report-sources/", { query });
export const addReporter = (body: Body<"/api/health/report-sources/", "post">) => post("/api/health/report-sources/", { body });
export const changeReporter = (id: number, body: Body<"/api/health/report-sources/{id}/", "patch">) => patch("/api/health/report-sources/{id}/", { path: { id }, body });
export const removeReporter = (id: number) => del("/api/health/report-sources/{id}/", { path: { id } });
export const renewToken = (id: number) => post("/api/health/report-sources/{id}/renew-token/", { path: { id } });

export const watchdog = (site: number | null) => get("/api/health/watchdog/", { query: { site } });
