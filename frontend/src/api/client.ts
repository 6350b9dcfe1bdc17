/** The one way to the REST API: JSON in and out, CSRF, and every failure as an ApiError that says what to do. */

/** A record that was refused: its place in the request, from 1, and why, by field. */
export interface RefusedRow {
  row: number;
  key: string;
  fields: Record<string, { code: string; reason: string }[]>;
}

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
export type Query = Record<string, QueryValue | QueryValue[]>;

/** `/api/machines/?cell=failed&cell=repair`; empty values are left out. */
export function apiUrl(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    for (const value of Array.isArray(values) ? values : [values]) {
      if (value !== null && value !== undefined && value !== "") search.append(name, String(value));
    }
  }
  const text = search.toString();
  return `/api/${path}${text ? `?${text}` : ""}`;
}

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

export async function request<T>(method: string, url: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return (await exchange<T>(method, url, body, signal)).data;
}

/** The answer with the id under which the history knows the request. */
export async function exchange<T>(
  method: string,
  url: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<{ data: T; requestId: string }> {
  const headers: Record<string, string> = { Accept: "application/json" };
  // The browser itself writes the boundary of an upload's parts.
  const upload = body instanceof FormData;
  if (body !== undefined && !upload) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRFToken"] = cookie("csrftoken", document.cookie);
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers,
      credentials: "same-origin",
      body: body === undefined ? null : upload ? body : JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ApiError(0, "unreachable", "The server did not answer. Check the connection and try again.");
  }
  const text = await response.text();
  const parsed = parse(text);
  const requestId = response.headers.get("X-Request-ID") ?? "";
  if (response.ok) return { data: parsed as T, requestId };
  const error = errorFrom(response.status, parsed, requestId);
  if (error.status === 401 || SIGNED_OUT.has(error.code)) {
    location.assign(signInUrl(location.pathname + location.search));
  }
  throw error;
}

function parse(text: string): unknown {
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const get = <T>(path: string, query?: Query, signal?: AbortSignal) =>
  request<T>("GET", apiUrl(path, query), undefined, signal);
export const post = <T>(path: string, body: unknown = {}) => request<T>("POST", apiUrl(path), body);
export const patch = <T>(path: string, body: unknown) => request<T>("PATCH", apiUrl(path), body);
export const del = <T>(path: string) => request<T>("DELETE", apiUrl(path));
