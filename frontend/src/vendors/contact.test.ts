import { describe, expect, it } from "vitest";
import { accountOf, nobodyCalled, storedOf, whereTo } from "./contact.ts";

describe("a vendor contact", () => {
  it("keeps only what was filled in, and the address apart", () => {
    const account = { ...accountOf({}), Branch: " DC1 ", City: "Oslo" };
    expect(storedOf(account)).toEqual({ Branch: "DC1", ship_to: { City: "Oslo" } });
    expect(storedOf(accountOf({ Track: "X", odd: 3 }))).toEqual({ Track: "X" });
  });

  it("comes back as it was stored", () => {
    const stored = { TechEmail: "t@example.org", ship_to: { AddressBookName: "DC1" } };
    expect(storedOf(accountOf(stored))).toEqual(stored);
    expect(accountOf(null).City).toBe("");
  });

  it("says where cases go and whether somebody can be called back", () => {
    expect(whereTo({ channel: "mail", mail_to: "rma@example.org", url: "" })).toBe("rma@example.org");
    expect(whereTo({ channel: "hand", mail_to: "", url: "" })).toBe("The vendor's portal");
    expect(nobodyCalled({ person: "A", phone: "", mail: "a@example.org" })).toBe(true);
    expect(nobodyCalled({ person: "A", phone: "1", mail: "a@example.org" })).toBe(false);
  });
});
