/** Every call about runbooks, by name. */
import { del, get, post, put, whole } from "../api/client.ts";
import type { Schemas } from "../api/schema.ts";
import type { Document } from "./document.ts";

export type Runbook = Schemas["Runbook"];
export type Version = Schemas["RunbookVersion"];
export type Preview = Schemas["RunbookPreview"];
export type Choice = Schemas["RunbookChoice"];

export const runbooks = (site: number | null) => whole(get("/api/runbooks/", { query: { site } }));
export const runbook = (slug: string, site: number | null) => get("/api/runbooks/{slug}/", { path: { slug }, query: { site } });
export const saveDraft = (slug: string, body: { site: number; document: Document; version: number }) => put("/api/runbooks/{slug}/draft/", { path: { slug }, body });
export const dropDraft = (slug: string, body: { site: number; draft: number }) => post("/api/runbooks/{slug}/drop-draft/", { path: { slug }, body });
export const publish = (slug: string, body: { site: number; document: Document; note: string; draft: number; number: number }) => post("/api/runbooks/{slug}/publish/", { path: { slug }, body });
export const restore = (slug: string, body: { site: number; note: string; draft: number }) => post("/api/runbooks/{slug}/restore/", { path: { slug }, body });
export const preview = (document: Document, states: Record<string, boolean | null>) => post("/api/runbooks/preview/", { body: { document, states } });
export const language = () => get("/api/runbooks/language/");
export const failing = (site: number | null) => whole(get("/api/runbooks/failing-steps/", { query: { site } }));
export const version = (id: number, against?: number) => get("/api/runbook-versions/{id}/", { path: { id }, query: { against } });
export const choices = (site: number | null) => get("/api/runbook-choices/", { query: { site, page_size: 200 } });
export const choose = (body: { site: number; fault_class: string; slug: string; role: string }) => post("/api/runbook-choices/", { body: { ...body, fault_class: body.fault_class as never } });
export const unchoose = (id: number) => del("/api/runbook-choices/{id}/", { path: { id } });
