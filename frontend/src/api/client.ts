/** The one way to the REST API: JSON in and out, CSRF, and every failure as an ApiError that says what to do. */
import createClient, { defaultPathSerializer } from "openapi-fetch";
import type { paths } from "./generated/openapi.d.ts";
import type { Answer, Given, Page, Route, Schemas, Verb } from "./schema.ts";

/** A record that was refused: its place in the request, from 1, and why, by field. */
export type RefusedRow = Schemas["RowProblem"];

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fields: Record<string, string[]> = {},
    readonly requestId = "",
    /** On a conflict: the record as it stands now. */
    readonly current: unknown = null,
    /** Of a write of many records: the refused ones. */
    readonly rows: RefusedRow[] = [],
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Somebody else changed the record first. Any other 409 is a refusal with a reason. */
export function isRace(cause: unknown): boolean {
  return cause instanceof ApiError && cause.status === 409 && cause.code === "conflict" && cause.current !== null;
}

const SIGNED_OUT = new Set(["not_authenticated", "authentication_failed"]);

type QueryValue = string | number | boolean | null | undefined;
/** Filters by name, of a route that is chosen at run time. */
export type AnyQuery = Record<string, QueryValue | QueryValue[]>;

/** `cell=failed&cell=repair`; empty values are left out. */
export function queryText(query: object): string {
  const search = new URLSearchParams();
  for (const [name, values] of Object.entries(query as AnyQuery)) {
    for (const value of Array.isArray(values) ? values : [values]) {
      if (value !== null && value !== undefined && value !== "") search.append(name, String(value));
    }
  }
  return search.toString();
}

/** The address of a route, for links and uploads: `/api/machines/?cell=failed`. */
export function urlOf(route: string, { path = {}, query = {} }: { path?: Record<string, string | number> | undefined; query?: object | undefined } = {}): string {
  const text = queryText(query);
  return defaultPathSerializer(route, path) + (text && `?${text}`);
}
export const linkTo = <P extends Route<"get">>(route: P, ...[options]: Given<P, "get">) => urlOf(route, options);

export function cookie(name: string, jar: string): string {
  const found = jar.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

/** Turn an answer that is not 2xx into an ApiError, whatever its body is. */
export function errorFrom(status: number, body: unknown, requestId: string): ApiError {
  const error = (body as { error?: Record<string, unknown> } | null)?.error;
  if (error && typeof error === "object") {
    return new ApiError(
      status,
      String(error.code ?? "error"),
      String(error.message ?? "The request failed."),
      fieldErrors(error.fields),
      String(error.request_id || requestId),
      error.current ?? null,
      Array.isArray(error.rows) ? (error.rows as RefusedRow[]) : [],
    );
  }
  const message =
    status >= 500
      ? "The server failed on this request. Try again; if it stays, give the request id to an administrator."
      : `The server refused the request (${status}).`;
  return new ApiError(status, "error", message, {}, requestId);
}

function fieldErrors(fields: unknown): Record<string, string[]> {
  if (!fields || typeof fields !== "object") return {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, (Array.isArray(value) ? value : [value]).map(reasonOf)]),
  );
}

/** A refusal is a sentence, or a code with its reason. */
function reasonOf(value: unknown): string {
  const reason = (value as { reason?: unknown } | null)?.reason;
  return String(reason ?? value);
}

/** Where to send a browser whose session ended, so that it comes back to the same page. */
export function signInUrl(path: string): string {
  return `/accounts/login/?next=${encodeURIComponent(path)}`;
}

/** Who was signed in here last, for a phone without reception. */
export const KEPT_PERSON = "rackside.me";

/** The session is over: nobody of this browser is taken for that person any more, with reception or without. */
export function toSignIn(): void {
  globalThis.localStorage?.removeItem(KEPT_PERSON);
  location.assign(signInUrl(location.pathname + location.search));
}

/** Where an account gets its second factor, or a session that came without it signs in anew. */
const SECOND_FACTOR_URL = "/accounts/2fa/";

/** What an answer that is not 2xx says. A session that ended sends the browser to the sign-in page. */
export function refusal(status: number, text: string, requestId: string): ApiError {
  const error = errorFrom(status, parse(text), requestId);
  if (error.status === 401 || SIGNED_OUT.has(error.code)) toSignIn();
  if (error.code === "second_factor_required") location.assign(SECOND_FACTOR_URL);
  return error;
}

function parse(text: string): unknown {
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const csrfToken = () => cookie("csrftoken", document.cookie);

const client = createClient<paths>({
  baseUrl: globalThis.location?.origin ?? "http://localhost",
  credentials: "same-origin",
  headers: { Accept: "application/json" },
  querySerializer: queryText,
  fetch: (request) => fetch(request),
});
client.use({
  onRequest: ({ request }) => {
    if (request.method !== "GET") request.headers.set("X-CSRFToken", csrfToken());
  },
  onResponse: async ({ response }) => {
    if (!response.ok) throw refusal(response.status, await response.text(), response.headers.get("X-Request-ID") ?? "");
  },
  onError: ({ request }) =>
    request.signal.aborted ? undefined : new ApiError(0, "unreachable", "The server did not answer. Check the connection and try again."),
});

/** What is sent to a route that is chosen at run time; the verbs below are for all others. */
interface Sending {
  path?: Record<string, string | number>;
  query?: object;
  body?: unknown;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
}

/** The answer with the id under which the history knows the request. */
export async function exchange<T>(verb: Verb, route: string, { path, query, body, signal, headers = {} }: Sending = {}): Promise<{ data: T; requestId: string }> {
  const sent = { params: { path, query }, body: body ?? (verb === "post" ? {} : undefined), signal: signal ?? null, headers };
  const { data, response } = await client.request(verb, route as never, sent as never);
  return { data: (data ?? null) as T, requestId: response.headers.get("X-Request-ID") ?? "" };
}

const verb =
  <V extends Verb>(name: V) =>
  async <P extends Route<V>>(route: P, ...[options]: Given<P, V>): Promise<Answer<P, V>> =>
    (await exchange<Answer<P, V>>(name, route, options as Sending)).data;

/** `get("/api/machines/{id}/", { path: { id } })`: route, filters, body and answer are those of the OpenAPI document. */
export const get = verb("get");
export const post = verb("post");
/** Parts of a form, such as a file and its caption. */
export const sendForm = async <P extends Route<"post">>(route: P, form: FormData) => (await exchange<Answer<P, "post">>("post", route, { body: form })).data;
export const put = verb("put");
export const patch = verb("patch");
export const del = verb("delete");

/** The rows of a list that comes whole. */
export const whole = async <T>(list: Promise<Page<T>>): Promise<T[]> => (await list).results;
