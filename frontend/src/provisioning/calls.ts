/** Every call about container images, by name. */
import { get } from "../api/client.ts";
import type { Query } from "../api/schema.ts";

export const images = (query: Query<"/api/health/images/">) => get("/api/health/images/", { query });
export const imageMachines = (query: Query<"/api/health/images/machines/">) => get("/api/health/images/machines/", { query });
