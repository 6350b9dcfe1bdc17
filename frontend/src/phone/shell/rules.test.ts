import { expect, it } from "vitest";
import { answerTo, filesOf, mayTakeOver } from "./rules.ts";

const origin = "https://rackside.example";
const asked = (path: string, navigates = false, method = "GET") => answerTo(new URL(path, origin), { origin, method, navigates });

it("pages are the shell, files with a hash are kept, and the API is never answered from the phone", () => {
  expect(asked("/tickets/REP-1", true)).toBe("shell");
  expect(asked("/accounts/login/", true)).toBe("network");
  expect(asked("/api/docs/", true)).toBe("network");
  expect(asked("/static/assets/index-DXqwBhd5.js")).toBe("asset");
  expect(asked("/static/sw.js")).toBe("network");
  expect(asked("/api/tickets/REP-1/")).toBe("network");
  expect(asked("/api/tickets/REP-1/take/", false, "POST")).toBe("network");
  expect(answerTo(new URL("https://elsewhere.example/"), { origin, method: "GET", navigates: true })).toBe("network");
});

it("what opens without reception is all that its pages import at once, and nothing else", () => {
  const manifest = {
    "index.html": { file: "a.js", css: ["a.css"], imports: ["_shared"] },
    _shared: { file: "s.js", imports: ["index.html"] },
    "src/Ticket.svelte": { file: "t.js", imports: ["_shared"] },
    "src/Fabric.svelte": { file: "x.js" },
  };
  expect(filesOf(manifest, ["index.html", "src/Ticket.svelte"])).toEqual(["a.css", "a.js", "s.js", "t.js"]);
});

it("a new build takes over when nobody looks, nothing is typed and nothing is being sent", () => {
  const idle = { typed: false, sending: false, shown: false };
  expect(mayTakeOver(idle)).toBe(true);
  for (const busy of ["typed", "sending", "shown"] as const) expect(mayTakeOver({ ...idle, [busy]: true })).toBe(false);
});
