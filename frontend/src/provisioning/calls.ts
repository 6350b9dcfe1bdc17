/** Every call about deliveries, discoveries, stages and container images, by name. */
import { del, get, post, sendForm } from "../api/client.ts";
import type { Query } from "../api/schema.ts";

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

export const discoveries = (query: Query<"/api/provisioning/discoveries/">) => get("/api/provisioning/discoveries/", { query });
export const discovery = (id: number) => get("/api/provisioning/discoveries/{id}/", { path: { id: String(id) } });
export const cancelDiscovery = (id: number) => post("/api/provisioning/discoveries/{id}/cancel/", { path: { id: String(id) } });
export const acceptBmcs = (id: number, bmcs?: number[]) => post("/api/provisioning/discoveries/{id}/accept/", { path: { id: String(id) }, body: bmcs ? { bmcs } : {} });
export const leaseSources = (query: Query<"/api/provisioning/lease-sources/">) => get("/api/provisioning/lease-sources/", { query });

export function startDiscovery(wanted: { site: number; ranges: string; port: number; file: File | null; source: number | null }) {
  const form = new FormData();
  form.set("site", String(wanted.site));
  form.set("ranges", wanted.ranges);
  form.set("port", String(wanted.port));
  if (wanted.file) form.set("file", wanted.file);
  if (wanted.source !== null) form.set("lease_source", String(wanted.source));
  return sendForm("/api/provisioning/discoveries/", form);
}

export const stages = (query: Query<"/api/provisioning/stages/">) => get("/api/provisioning/stages/", { query });
export const images = (query: Query<"/api/health/images/">) => get("/api/health/images/", { query });
export const imageMachines = (query: Query<"/api/health/images/machines/">) => get("/api/health/images/machines/", { query });
