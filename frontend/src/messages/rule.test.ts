import { describe, expect, it } from "vitest";
import { newTopic, ruleText } from "./rule.ts";

describe("a rule in one line", () => {
  it("names what limits it", () => {
    expect(ruleText({ events: ["opened", "failed"], priorities: ["P1"], queues: ["network"] })).toBe("Opened, Verification failed · P1 · Network");
  });
  it("says so when nothing does", () => {
    expect(ruleText({ events: [], priorities: [], queues: [] })).toBe("All news of all tickets");
  });
});

describe("a new topic", () => {
  it("is one that the server takes, and another each time", () => {
    expect(newTopic()).toMatch(/^[A-Za-z0-9_-]{8,64}$/);
    expect(newTopic()).not.toBe(newTopic());
  });
});
