import { afterEach, describe, expect, test, vi } from "vitest";
import { ApiError, cookie, del, errorFrom, get, linkTo, patch, post, sendForm, signInUrl, urlOf } from "./client.ts";

afterEach(() => vi.unstubAllGlobals());

function answer(status: number, body: string, headers: Record<string, string> = {}) {
  const fetched = vi.fn<(request: Request) => Promise<Response>>(async () => new Response(body, { status, headers }));
  const assign = vi.fn();
  vi.stubGlobal("fetch", fetched);
  vi.stubGlobal("document", { cookie: "a=1; csrftoken=tok%3D; b=2" });
  vi.stubGlobal("location", { pathname: "/tickets/REP-1", search: "?x=1", assign });
  return { fetched, assign };
}

test("addresses leave out empty values and repeat lists", () => {
  expect(linkTo("/api/machines/", { query: { cell: ["failed", "repair"], search: "", page: 2 } })).toBe("/api/machines/?cell=failed&cell=repair&page=2");
  expect(linkTo("/api/me/")).toBe("/api/me/");
  expect(urlOf("/api/{kind}/", { path: { kind: "a b" }, query: { active: false } })).toBe("/api/a%20b/?active=false");
});

test("cookies are read by their whole name", () => {
  expect(cookie("token", "csrftoken=a; token=b")).toBe("b");
  expect(cookie("nothing", "a=1")).toBe("");
});

describe("a request", () => {
  test("goes to the route with its path, filters and body filled in", async () => {
    const { fetched } = answer(200, '{"id": 7}');
    expect(await get("/api/machines/{machine}/history/", { path: { machine: 7 }, query: { hours: 24 } })).toEqual({ id: 7 });
    await patch("/api/pools/{id}/", { path: { id: 3 }, body: { no_scheduler: true } });
    const [read, changed] = fetched.mock.calls.map(([request]) => request);
    expect([read!.method, new URL(read!.url).pathname + new URL(read!.url).search]).toEqual(["GET", "/api/machines/7/history/?hours=24"]);
    expect([changed!.method, new URL(changed!.url).pathname, await changed!.json()]).toEqual(["PATCH", "/api/pools/3/", { no_scheduler: true }]);
  });

  test("that changes something carries the CSRF token, one that reads does not", async () => {
    const { fetched } = answer(200, "{}");
    await post("/api/health/automation/kill/", { body: { site: 1, reason: "x" } });
    await get("/api/me/");
    const [changed, read] = fetched.mock.calls.map(([request]) => request.headers);
    expect([changed!.get("X-CSRFToken"), changed!.get("Content-Type"), changed!.get("Accept")]).toEqual(["tok=", "application/json", "application/json"]);
    expect(read!.has("X-CSRFToken")).toBe(false);
  });

  test("that was given up says so to whom gave it up, not that the server is gone", async () => {
    answer(200, "");
    const stop = new AbortController();
    vi.stubGlobal("fetch", vi.fn((request: Request) => (request.signal.aborted ? Promise.reject(request.signal.reason) : new Promise(() => undefined))));
    const asked = get("/api/search/", { query: { q: "m" }, signal: stop.signal }).catch((caught: unknown) => caught);
    stop.abort();
    expect(await asked).toMatchObject({ name: "AbortError" });
  });

  test("that is refused tells message, fields, request id and the record as it stands", async () => {
    const current = { key: "REP-1", version: 4 };
    answer(409, JSON.stringify({ error: { code: "conflict", message: "Changed.", fields: { a: ["no"] }, request_id: "r1", current } }));
    const error = await post("/api/sweeps/", { body: { site: 1 } }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 409, code: "conflict", fields: { a: ["no"] }, requestId: "r1", current });
  });

  test("without a session goes to the sign-in page and comes back; without a right it does not", async () => {
    const { assign } = answer(403, JSON.stringify({ error: { code: "not_authenticated", message: "" } }));
    await get("/api/me/").catch(() => undefined);
    expect(assign).toHaveBeenCalledWith("/accounts/login/?next=%2Ftickets%2FREP-1%3Fx%3D1");
    const refused = answer(403, JSON.stringify({ error: { code: "permission_denied", message: "No." } }));
    await get("/api/me/").catch(() => undefined);
    expect(refused.assign).not.toHaveBeenCalled();
  });

  test("that nobody answers says so in words", async () => {
    answer(200, "");
    vi.stubGlobal("fetch", vi.fn(() => Promise.reject(new TypeError("fetch failed"))));
    const error = await get("/api/me/").catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: 0, code: "unreachable" });
  });

  test("answered by a page instead of JSON still gives an error one can report", async () => {
    answer(502, "<html>Bad gateway</html>", { "X-Request-ID": "r9" });
    const error = await get("/api/me/").catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: 502, requestId: "r9" });
    expect((error as ApiError).message).toContain("Try again");
  });

  test("with an empty answer is fine", async () => {
    answer(200, "");
    expect(await del("/api/health/windows/{id}/", { path: { id: 1 } })).toBeNull();
  });
});

test("an upload goes out as it is, so that the browser writes its boundary", async () => {
  const { fetched } = answer(201, "{}");
  const form = new FormData();
  form.set("caption", "rear door");
  await sendForm("/api/attachments/", form);
  const request = fetched.mock.calls[0]![0];
  expect(request.headers.get("Content-Type")).toMatch(/^multipart\/form-data; boundary=/);
  expect((await request.formData()).get("caption")).toBe("rear door");
});

test("error texts of a field are always lists of words", () => {
  expect(errorFrom(400, { error: { fields: { u: [{ code: "overlap", reason: "U5 is taken" }] } } }, "").fields).toEqual({ u: ["U5 is taken"] });
  expect(errorFrom(400, { error: { fields: { a: "one", b: ["two", 3] } } }, "").fields).toEqual({ a: ["one"], b: ["two", "3"] });
  expect(signInUrl("/a?b=c")).toBe("/accounts/login/?next=%2Fa%3Fb%3Dc");
});
