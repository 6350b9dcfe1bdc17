/** Every call about the reliability of a fleet, by name. */
import { apiUrl, del, get, patch, post, type Query } from "../api/client.ts";
import type { Page } from "../api/types.ts";
import type { Candidate, DriftRow, Golden, Lemon, Reporter, SparesOfModel, Trends, Watchdog } from "./types.ts";

export const trends = (query: Query) => get<Trends>("health/trends/", query);
export const trendsCsvUrl = (query: Query) => apiUrl("health/trends.csv", query);

export const lemons = (query: Query) => get<Page<Lemon>>("health/lemons/", query);
export const drift = (query: Query) => get<Page<DriftRow>>("health/drift/", query);

export const golden = (query: Query) => get<Page<Golden>>("health/golden/", query);
export const candidates = (query: Query) => get<Page<Candidate>>("health/golden/candidates/", query);
export const spares = (site: number | null) => get<SparesOfModel[]>("health/golden/spares/", { site });
export const promote = (machine: number, reason: string) => post<Golden>(`health/golden/${machine}/promote/`, { reason });
export const demote = (machine: number, reason: string) => post<Golden>(`health/golden/${machine}/demote/`, { reason });

export const reporters = (query: Query) => get<Page<Reporter>>("health/report-sources/", query);
export const addReporter = (body: Record<string, unknown>) => post<Reporter & { token: string }>("health/report-sources/", body);
export const changeReporter = (id: number, body: Record<string, unknown>) => patch<Reporter>(`health/report-sources/${id}/`, body);
export const removeReporter = (id: number) => del(`health/report-sources/${id}/`);
export const renewToken = (id: number) => post<Reporter & { token: string }>(`health/report-sources/${id}/renew-token/`);

export const watchdog = (site: number | null) => get<Watchdog>("health/watchdog/", { site });
