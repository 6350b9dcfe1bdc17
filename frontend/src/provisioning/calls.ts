/** Every call about deliveries, stages and container images, by name. */
import { del, get, post, sendForm } from "../api/client.ts";
import type { Body, Query } from "../api/schema.ts";

export const deliveries = (query: Query<"/api/provisioning/deliveries/">) => get("/api/provisioning/deliveries/", { query });
export const delivery = (id: number) => get("/api/provisioning/deliveries/{id}/", { path: { id: String(id) } });
export const acceptDelivery = (id: number, rows?: number[]) => post("/api/provisioning/deliveries/{id}/accept/", { path: { id: String(id) }, body: rows ? { rows } : {} });
export const forgetDelivery = (id: number) => del("/api/provisioning/deliveries/{id}/", { path: { id: String(id) } });

export function takeInDelivery(file: File, site: number, order: string, vendor: string) {
  const form = new FormData();
  form.set("file", file);
  form.set("site", String(site));
  form.set("order", order);
  form.set("vendor", vendor);
  return sendForm("/api/provisioning/deliveries/", form);
}

export const stages = (query: Query<"/api/provisioning/stages/">) => get("/api/provisioning/stages/", { query });
export const images = (query: Query<"/api/health/images/">) => get("/api/health/images/", { query });
export const imageMachines = (query: Query<"/api/health/images/machines/">) => get("/api/health/images/machines/", { query });

export const softwareRoles = (query: Query<"/api/provisioning/software/roles/">) => get("/api/provisioning/software/roles/", { query });
export const softwareRuns = (query: Query<"/api/provisioning/software/runs/">) => get("/api/provisioning/software/runs/", { query });
export const softwareRun = (id: number) => get("/api/provisioning/software/runs/{id}/", { path: { id: String(id) } });
export const startSoftware = (body: Body<"/api/provisioning/software/runs/", "post">) => post("/api/provisioning/software/runs/", { body });
export const cancelSoftware = (id: number) => post("/api/provisioning/software/runs/{id}/cancel/", { path: { id: String(id) } });
export const softwareLog = (id: number, rm: number, after: number) => get("/api/provisioning/software/runs/{id}/machines/{rm}/log/", { path: { id: String(id), rm: String(rm) }, query: { after } });
