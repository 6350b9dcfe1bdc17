/** Every call about deliveries, discoveries, stages, limits, returns, container images, mirrors, BMC set-up, base software, MAAS and Ironic, by name. */
import { del, get, patch, post, sendForm } from "../api/client.ts";
import type { Body, Query } from "../api/schema.ts";

export const deliveries = (query: Query<"/api/provisioning/deliveries/">) => get("/api/provisioning/deliveries/", { query });
export const delivery = (id: number) => get("/api/provisioning/deliveries/{id}/", { path: { id: String(id) } });
export const acceptDelivery = (id: number, rows?: number[]) => post("/api/provisioning/deliveries/{id}/accept/", { path: { id: String(id) }, body: rows ? { rows } : {} });
export const forgetDelivery = (id: number) => del("/api/provisioning/deliveries/{id}/", { path: { id: String(id) } });

export const intakeFloor = (query: Query<"/api/provisioning/intake/floor/">) => get("/api/provisioning/intake/floor/", { query });

export function takeInDelivery(file: File, site: number, order: string, vendor: string) {
  const form = new FormData();
  form.set("file", file);
  form.set("site", String(site));
  form.set("order", order);
  form.set("vendor", vendor);
  return sendForm("/api/provisioning/deliveries/", form);
}

export const engineOffers = () => get("/api/provisioning/engines/");
export const vendorReturns = (query: Query<"/api/provisioning/returns/">) => get("/api/provisioning/returns/", { query });
export const vendorReturn = (id: number) => get("/api/provisioning/returns/{id}/", { path: { id: String(id) } });
export const makeReturn = (body: Body<"/api/provisioning/returns/", "post">) => post("/api/provisioning/returns/", { body });
export const sendReturn = (id: number, reference: string) => post("/api/provisioning/returns/{id}/send/", { path: { id: String(id) }, body: { reference } });
export const answerReturn = (id: number, body: Body<"/api/provisioning/returns/{id}/answer/", "post">) =>
  post("/api/provisioning/returns/{id}/answer/", { path: { id: String(id) }, body });
export const forgetReturn = (id: number) => del("/api/provisioning/returns/{id}/", { path: { id: String(id) } });
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

export const limits = (site: number) => get("/api/provisioning/limits/{id}/", { path: { id: String(site) } });
export const limitsUse = (site: number, run?: number) => get("/api/provisioning/limits/{id}/use/", { path: { id: String(site) }, query: run === undefined ? {} : { run } });
export const setLimits = (site: number, body: Body<"/api/provisioning/limits/{id}/", "patch">) =>
  patch("/api/provisioning/limits/{id}/", { path: { id: String(site) }, body });
export const deliveryBatches = (query: Query<"/api/provisioning/stages/deliveries/">) => get("/api/provisioning/stages/deliveries/", { query });
export const stages = (query: Query<"/api/provisioning/stages/">) => get("/api/provisioning/stages/", { query });
export const images = (query: Query<"/api/health/images/">) => get("/api/health/images/", { query });
export const imageMachines = (query: Query<"/api/health/images/machines/">) => get("/api/health/images/machines/", { query });
export const placements = (query: Query<"/api/provisioning/placements/">) => get("/api/provisioning/placements/", { query });
export const placement = (id: number) => get("/api/provisioning/placements/{id}/", { path: { id: String(id) } });
export const placementPlan = (query: Query<"/api/provisioning/placements/plan/">) => get("/api/provisioning/placements/plan/", { query });
export const startPlacement = (body: Body<"/api/provisioning/placements/", "post">) => post("/api/provisioning/placements/", { body });
export const cancelPlacement = (id: number) => post("/api/provisioning/placements/{id}/cancel/", { path: { id: String(id) } });
export const retryPlacement = (id: number) => post("/api/provisioning/placements/{id}/retry/", { path: { id: String(id) } });
export const mirrors = (query: Query<"/api/provisioning/mirrors/">) => get("/api/provisioning/mirrors/", { query });
export const mirror = (id: number) => get("/api/provisioning/mirrors/{id}/", { path: { id: String(id) } });
export const addMirror = (body: Body<"/api/provisioning/mirrors/", "post">) => post("/api/provisioning/mirrors/", { body });
export const setMirror = (id: number, body: Body<"/api/provisioning/mirrors/{id}/", "patch">) => patch("/api/provisioning/mirrors/{id}/", { path: { id: String(id) }, body });
export const removeMirror = (id: number) => del("/api/provisioning/mirrors/{id}/", { path: { id: String(id) } });

export const maasRegions = () => get("/api/provisioning/maas/", { query: { page_size: 200 } });
export const maasRegion = (site: number) => get("/api/provisioning/maas/{id}/", { path: { id: String(site) } });
export const setMaasRegion = (site: number, body: Body<"/api/provisioning/maas/{id}/", "patch">) =>
  patch("/api/provisioning/maas/{id}/", { path: { id: String(site) }, body });
export const ironicServers = () => get("/api/provisioning/ironic/", { query: { page_size: 200 } });
export const ironicServer = (site: number) => get("/api/provisioning/ironic/{id}/", { path: { id: String(site) } });
export const setIronicServer = (site: number, body: Body<"/api/provisioning/ironic/{id}/", "patch">) =>
  patch("/api/provisioning/ironic/{id}/", { path: { id: String(site) }, body });
export const tryIronicServer = (site: number) => post("/api/provisioning/ironic/{id}/try/", { path: { id: String(site) } });
export const tryMaasRegion = (site: number) => post("/api/provisioning/maas/{id}/try/", { path: { id: String(site) } });
export const softwareRoles = (query: Query<"/api/provisioning/software/roles/">) => get("/api/provisioning/software/roles/", { query });
export const softwareRuns = (query: Query<"/api/provisioning/software/runs/">) => get("/api/provisioning/software/runs/", { query });
export const softwareRun = (id: number) => get("/api/provisioning/software/runs/{id}/", { path: { id: String(id) } });
export const startSoftware = (body: Body<"/api/provisioning/software/runs/", "post">) => post("/api/provisioning/software/runs/", { body });
export const cancelSoftware = (id: number) => post("/api/provisioning/software/runs/{id}/cancel/", { path: { id: String(id) } });
export const softwareLog = (id: number, rm: number, after: number) => get("/api/provisioning/software/runs/{id}/machines/{rm}/log/", { path: { id: String(id), rm: String(rm) }, query: { after } });

export const bmcProfiles = (query: Query<"/api/provisioning/bmc/profiles/">) => get("/api/provisioning/bmc/profiles/", { query });
export const saveBmcProfile = (slug: string, body: Body<"/api/provisioning/bmc/profiles/{slug}/", "patch">) => patch("/api/provisioning/bmc/profiles/{slug}/", { path: { slug }, body });
export const bmcVersions = (query: Query<"/api/provisioning/bmc/versions/">) => get("/api/provisioning/bmc/versions/", { query });
export const bmcMachines = (query: Query<"/api/provisioning/bmc/machines/">) => get("/api/provisioning/bmc/machines/", { query });
export const bmcMachine = (id: number) => get("/api/provisioning/bmc/machines/{id}/", { path: { id } });
export const readBmcs = (machines: number[]) => post("/api/provisioning/bmc/machines/read/", { body: { machines } });
export const giveBmcPassword = (id: number, password: string) => post("/api/provisioning/bmc/machines/{id}/password/", { path: { id }, body: { password } });
export const bmcRuns = (query: Query<"/api/provisioning/bmc/runs/">) => get("/api/provisioning/bmc/runs/", { query });
export const bmcRun = (id: number) => get("/api/provisioning/bmc/runs/{id}/", { path: { id: String(id) } });
export const startBmcRun = (body: Body<"/api/provisioning/bmc/runs/", "post">) => post("/api/provisioning/bmc/runs/", { body });
export const cancelBmcRun = (id: number) => post("/api/provisioning/bmc/runs/{id}/cancel/", { path: { id: String(id) } });
