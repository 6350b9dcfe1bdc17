/** Every call about the fabric, by name. */
import { del, get, linkTo, patch, post, whole } from "../api/client.ts";
import type { Body, Query } from "../api/schema.ts";
import { upload } from "../api/upload.ts";
import type { PortAction } from "./shapes.ts";

export const overview = (site: number) => get("/api/fabric/overview/", { query: { site } });
export const matrix = (site: number) => get("/api/fabric/matrix/", { query: { site } });

export const sources = (query: Query<"/api/fabric/sources/"> = {}) => get("/api/fabric/sources/", { query: { page_size: 200, ...query } });
export const source = (id: number) => get("/api/fabric/sources/{id}/", { path: { id } });
export const addSource = (body: Body<"/api/fabric/sources/", "post">) => post("/api/fabric/sources/", { body });
export const changeSource = (id: number, body: Body<"/api/fabric/sources/{id}/", "patch">) => patch("/api/fabric/sources/{id}/", { path: { id }, body });
export const removeSource = (id: number) => del("/api/fabric/sources/{id}/", { path: { id } });
export const discover = (source: number) => post("/api/fabric/sources/{id}/discover/", { path: { id: source } });
export const discoveries = (query: Query<"/api/fabric/discoveries/">) => get("/api/fabric/discoveries/", { query });
export const acceptAnyway = (id: number, reason: string) => post("/api/fabric/discoveries/{id}/accept-anyway/", { path: { id }, body: { reason } });
export const discovery = (id: number) => get("/api/fabric/discoveries/{id}/", { path: { id } });

export const findings = (query: Query<"/api/fabric/findings/">) => get("/api/fabric/findings/", { query });
export const finding = (id: number) => get("/api/fabric/findings/{id}/", { path: { id } });
export const reopenFinding = (id: number) => post("/api/fabric/findings/{id}/reopen/", { path: { id } });
export const acceptFinding = (id: number, reason: string) => post("/api/fabric/findings/{id}/accept/", { path: { id }, body: { reason } });

export const names = (query: Query<"/api/fabric/names/">) => get("/api/fabric/names/", { query });
export const approveNames = (ids: number[]) => post("/api/fabric/names/approve/", { body: { ids } });
export const rejectName = (id: number, reason: string) => post("/api/fabric/names/{id}/reject/", { path: { id }, body: { reason } });
export const nameMapUrl = (source: number) => linkTo("/api/fabric/names/node-name-map/", { query: { source } });
export const misplaced = (site: number) => whole(get("/api/fabric/misplaced/", { query: { site } }));

export const linksAt = (query: Query<"/api/fabric/at/">) => get("/api/fabric/at/", { query });
export const changes = (query: Query<"/api/fabric/changes/">) => get("/api/fabric/changes/", { query });

export const sitePorts = (query: Query<"/api/fabric/ports/">) => get("/api/fabric/ports/", { query });
export const reservedPorts = (query: Query<"/api/fabric/reserved-ports/">) => get("/api/fabric/reserved-ports/", { query });
export const reservePort = (body: { port: number; owner: string; reason: string; until: string | null }) => post("/api/fabric/reserved-ports/", { body });
export const freePort = (id: number) => del("/api/fabric/reserved-ports/{id}/", { path: { id } });
export const lengths = (query: Query<"/api/fabric/length-table/">) => get("/api/fabric/length-table/", { query });
export const addLength = (body: Body<"/api/fabric/length-table/", "post">) => post("/api/fabric/length-table/", { body });
export const removeLength = (id: number) => del("/api/fabric/length-table/{id}/", { path: { id } });
export const plans = (query: Query<"/api/fabric/plans/">) => get("/api/fabric/plans/", { query });
export const removePlan = (id: number) => del("/api/fabric/plans/{id}/", { path: { id } });

export const links = (query: Query<"/api/fabric/links/">) => get("/api/fabric/links/", { query });
export const link = (key: string) => get("/api/fabric/links/{key}/", { path: { key } });
export const linkHistory = (key: string, from: string, to: string) =>
  get("/api/fabric/links/{key}/history/", { path: { key }, query: { from, to } });
export const measureLink = (key: string) => post("/api/fabric/links/{key}/measure/", { path: { key } });
export const linkCsvUrl = (key: string, from: string, to: string) => linkTo("/api/fabric/links/{key}/history/", { path: { key }, query: { from, to, as: "csv" } });
export const heat = (site: number) => get("/api/fabric/heat/", { query: { site } });
export const events = (query: Query<"/api/fabric/events/">) => get("/api/fabric/events/", { query });
export const incidents = (query: Query<"/api/fabric/incidents/">) => get("/api/fabric/incidents/", { query });
export const closeIncident = (id: number, reason: string) => post("/api/fabric/incidents/{id}/close/", { path: { id }, body: { reason } });
export const portActions = (query: Query<"/api/fabric/port-actions/">) => get("/api/fabric/port-actions/", { query });
export const proposePort = (body: { source: number; link: string; action: PortAction["action"]; cause: string }) =>
  post("/api/fabric/port-actions/", { body });
export const approvePort = (id: number) => post("/api/fabric/port-actions/{id}/approve/", { path: { id } });
export const decidePort = (id: number, what: "refuse" | "enable", reason: string) =>
  post(what === "refuse" ? "/api/fabric/port-actions/{id}/refuse/" : "/api/fabric/port-actions/{id}/enable/", { path: { id }, body: { reason } });
export const portPolicy = (site: number) => get("/api/fabric/port-policies/{id}/", { path: { id: site } });
export const burnIns = (query: Query<"/api/fabric/burn-ins/">) => get("/api/fabric/burn-ins/", { query });
export const burnIn = (id: number) => get("/api/fabric/burn-ins/{id}/", { path: { id } });
export const burnInPairs = (id: number, query: Query<"/api/fabric/burn-ins/{id}/pairs/">) => get("/api/fabric/burn-ins/{id}/pairs/", { path: { id }, query });
export const planBurnIn = (source: number) => post("/api/fabric/burn-ins/", { body: { source } });
export const startBurnIn = (id: number, forReal: boolean) => post("/api/fabric/burn-ins/{id}/start/", { path: { id }, body: { for_real: forReal } });
export const stopBurnIn = (id: number) => post("/api/fabric/burn-ins/{id}/stop/", { path: { id } });

const share = (told: (share: number) => void) => (sent: number, total: number) => told(total ? sent / total : 0);

export function uploadCapture(source: number, files: File[], told: (share: number) => void, signal: AbortSignal) {
  const form = new FormData();
  for (const file of files) form.append("files", file);
  return upload("/api/fabric/sources/{id}/upload/", form, { path: { id: source }, told: share(told), signal });
}

export function uploadPlan(site: number, name: string, file: File, told: (share: number) => void, signal: AbortSignal) {
  const form = new FormData();
  form.set("site", String(site));
  form.set("name", name);
  form.set("file", file);
  return upload("/api/fabric/plans/", form, { told: share(told), signal });
}
