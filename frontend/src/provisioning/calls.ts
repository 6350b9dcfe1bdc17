/** Every call about stages and container images, by name. */
import { get } from "../api/client.ts";
import type { Query } from "../api/schema.ts";

export const stages = (query: Query<"/api/provisioning/stages/">) => get("/api/provisioning/stages/", { query });
export const images = (query: Query<"/api/health/images/">) => get("/api/health/images/", { query });
export const imageMachines = (query: Query<"/api/health/images/machines/">) => get("/api/health/images/machines/", { query });
