import { afterEach, describe, expect, test, vi } from "vitest";
import { ApiError, apiUrl, cookie, errorFrom, request, signInUrl } from "./client.ts";

afterEach(() => vi.unstubAllGlobals());

function answer(status: number, body: string, headers: Record<string, string> = {}) {
  const fetched = vi.fn<(url: string, init: RequestInit) => Promise<Response>>(async () => new Response(body, { status, headers }));
  const assign = vi.fn();
  vi.stubGlobal("fetch", fetched);
  vi.stubGlobal("document", { cookie: "a=1; csrftoken=tok%3D; b=2" });
  vi.stubGlobal("location", { pathname: "/tickets/REP-1", search: "?x=1", assign });
  return { fetched, assign };
}

test("addresses leave out empty values and repeat lists", () => {
  expect(apiUrl("machines/", { cell: ["failed", "repair"], search: "", page: 2, active: false })).toBe(
    "/api/machines/?cell=failed&cell=repair&page=2&active=false",
  );
  expect(apiUrl("me/")).toBe("/api/me/");
});

test("cookies are read by their whole name", () => {
  expect(cookie("token", "csrftoken=a; token=b")).toBe("b");
  expect(cookie("nothing", "a=1")).toBe("");
});

describe("a request", () => {
  test("that changes something carries the CSRF token, one that reads does not", async () => {
    const { fetched } = answer(200, "{}");
    await request("POST", "/api/x/", { a: 1 });
    await request("GET", "/api/x/");
    const headers = fetched.mock.calls.map(([, init]) => init.headers as Record<string, string>);
    expect(headers[0]).toMatchObject({ "X-CSRFToken": "tok=", "Content-Type": "application/json" });
    expect(headers[1]).not.toHaveProperty("X-CSRFToken");
  });

  test("that is refused tells message, fields, request id and the record as it stands", async () => {
    const current = { key: "REP-1", version: 4 };
    answer(409, JSON.stringify({ error: { code: "conflict", message: "Changed.", fields: { a: ["no"] }, request_id: "r1", current } }));
    const error = await request("POST", "/api/x/").catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 409, code: "conflict", fields: { a: ["no"] }, requestId: "r1", current });
  });

  test("without a session goes to the sign-in page and comes back; without a right it does not", async () => {
    const { assign } = answer(403, JSON.stringify({ error: { code: "not_authenticated", message: "" } }));
    await request("GET", "/api/x/").catch(() => undefined);
    expect(assign).toHaveBeenCalledWith("/accounts/login/?next=%2Ftickets%2FREP-1%3Fx%3D1");
    const refused = answer(403, JSON.stringify({ error: { code: "permission_denied", message: "No." } }));
    await request("GET", "/api/x/").catch(() => undefined);
    expect(refused.assign).not.toHaveBeenCalled();
  });

  test("that nobody answers says so in words", async () => {
    answer(200, "");
    vi.stubGlobal("fetch", vi.fn(() => Promise.reject(new TypeError("fetch failed"))));
    const error = await request("GET", "/api/x/").catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: 0, code: "unreachable" });
  });

  test("answered by a page instead of JSON still gives an error one can report", async () => {
    answer(502, "<html>Bad gateway</html>", { "X-Request-ID": "r9" });
    const error = await request("GET", "/api/x/").catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: 502, requestId: "r9" });
    expect((error as ApiError).message).toContain("Try again");
  });

  test("with an empty answer is fine", async () => {
    answer(200, "");
    expect(await request("DELETE", "/api/x/")).toBeNull();
  });
});

test("an upload goes out as it is, so that the browser writes its boundary", async () => {
  const { fetched } = answer(201, "{}");
  const form = new FormData();
  form.set("caption", "rear door");
  await request("POST", "/api/attachments/", form);
  const init = fetched.mock.calls[0]![1];
  expect(init.body).toBe(form);
  expect(init.headers).not.toHaveProperty("Content-Type");
});

test("error texts of a field are always lists of words", () => {
  expect(errorFrom(400, { error: { fields: { u: [{ code: "overlap", reason: "U5 is taken" }] } } }, "").fields).toEqual({ u: ["U5 is taken"] });
  expect(errorFrom(400, { error: { fields: { a: "one", b: ["two", 3] } } }, "").fields).toEqual({ a: ["one"], b: ["two", "3"] });
  expect(signInUrl("/a?b=c")).toBe("/accounts/login/?next=%2Fa%3Fb%3Dc");
});
