import { describe, expect, it } from "vitest";
import { nextRoom, ROOM_S, secondsOf } from "./wall.ts";

describe("the wall board", () => {
  const rooms = [{ id: 3 }, { id: 7 }, { id: 9 }];

  it("goes round the rooms", () => {
    expect([3, 7, 9].map((id) => nextRoom(rooms, id))).toEqual([7, 9, 3]);
    expect(nextRoom(rooms, null)).toBe(3);
    expect(nextRoom(rooms, 4)).toBe(3);
  });

  it("stays where there is one room or none", () => {
    expect(nextRoom([{ id: 3 }], 3)).toBeNull();
    expect(nextRoom([], null)).toBeNull();
  });

  it("takes a time from the address only within reason", () => {
    expect(secondsOf("60")).toBe(60);
    expect([secondsOf(null), secondsOf(""), secondsOf("0"), secondsOf("soon"), secondsOf("1e9")]).toEqual(Array(5).fill(ROOM_S));
  });
});
