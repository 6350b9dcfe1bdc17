/** What the floor of power can show of a rack: its value, how full it is drawn, and in which band of the legend it is. Pure. */
import type { FloorRack, GpuBand, LoadState, PowerFloor, RoomLeft, WhatIf, WhatIfRack } from "./shapes.ts";
import { GPU_BAND, kw, least, loadWord, power } from "./words.ts";

/** A fill; the last three carry a mark of their own, so that colour is never the only sign. */
export type Look = "step1" | "step2" | "step3" | "step4" | "near" | "over" | "unknown";

export interface Band {
  look: Look;
  word: string;
}

/** A rack as it is drawn. */
export interface Tile {
  band: number;
  look: Look;
  /** Of the height of the tile; null draws none. */
  fill: number | null;
  /** What it was before, where that differs. */
  was: number | null;
  text: string;
  words: string;
}

export interface Layer {
  key: string;
  word: string;
  caption: (floor: PowerFloor) => string;
  bands: (floor: PowerFloor) => Band[];
  tile: (rack: FloorRack, floor: PowerFloor) => Tile;
  /** At the end of a row, where it is not what the row draws now. */
  rowText?: ((racks: FloorRack[]) => string) | undefined;
  /** Above them, where they are not kilowatts. */
  rowWord?: string | undefined;
  /** What else is drawn. */
  note?: string | undefined;
}

const QUIET: Look[] = ["step1", "step2", "step3", "step4"];
const clamp = (value: number): number => Math.min(Math.max(value, 0), 1);
/** How far a tile is filled whose top and bottom are these. */
const filled = (value: number, [from, to]: [number, number]): number | null => (to > from ? clamp((value - from) / (to - from)) : null);

/** Bands by rising value: quiet steps, then at most two of alarm, then what is not known. `edges` part them. */
function banded(words: string[], alarms: Look[]): Band[] {
  const quiet = words.length - alarms.length;
  return [...words.map((word, i) => ({ look: i < quiet ? QUIET[i]! : alarms[i - quiet]!, word })), { look: "unknown", word: "no value" }];
}

function tileOf(bands: Band[], band: number, more: Omit<Tile, "band" | "look" | "was">): Tile {
  return { band, look: bands[band]!.look, was: null, ...more };
}

interface Scale {
  key: string;
  word: string;
  unit: string;
  caption: (floor: PowerFloor) => string;
  value: (rack: FloorRack) => number | null;
  /** Whether its value is a lower bound: what is not known may be in a worse band, so that it is in no quiet one. */
  least?: (rack: FloorRack) => boolean;
  digits: number;
  /** Lower ends of the second band and those after it. */
  edges: (floor: PowerFloor) => number[];
  alarms: Look[];
  /** The last band begins above its edge, not at it: a limit itself is within the limit. */
  above?: boolean;
  /** From where to where a tile is filled. */
  range: (rack: FloorRack, floor: PowerFloor) => [number, number];
  words: (edges: number[]) => string[];
}

/** A layer whose bands are steps of its own value. */
function scaled(scale: Scale): Layer {
  const bands = (floor: PowerFloor) => banded(scale.words(scale.edges(floor)), scale.alarms);
  return {
    key: scale.key,
    word: scale.word,
    caption: scale.caption,
    bands,
    tile: (rack, floor) => {
      const value = scale.value(rack);
      const all = bands(floor);
      if (value === null) return tileOf(all, all.length - 1, { fill: null, text: "?", words: `${scale.word} not known` });
      const edges = scale.edges(floor);
      const counted = edges.filter((edge, i) => (scale.above && i === edges.length - 1 ? value > edge : value >= edge)).length;
      const atLeast = scale.least?.(rack) ?? false;
      const band = atLeast && counted < all.length - 1 - scale.alarms.length ? all.length - 1 : counted;
      const text = value.toFixed(scale.digits);
      return tileOf(all, band, {
        fill: filled(value, scale.range(rack, floor)),
        text: least(atLeast, text).replace(" ", ""),
        words: atLeast ? `${scale.word} at least ${text} ${scale.unit}, the others not known` : `${scale.word} ${text} ${scale.unit}, ${all[band]!.word}`,
      });
    },
  };
}

const stepsUp =
  (unit: string) =>
  (edges: number[]): string[] => [`below ${edges[0]} ${unit}`, ...edges.slice(1).map((edge, i) => `${edges[i]}–${edge}`), `${edges.at(-1)} and more`];

/** Shares of its limit at which a rack's tile changes its blue. */
const STEPS = [0.6, 0.8];
const POWER_BANDS: Band[] = [
  { look: "step1", word: "below 60 %" },
  { look: "step2", word: "60–80 %" },
  { look: "step3", word: "80 % and more" },
  { look: "near", word: "near the limit" },
  { look: "over", word: "over" },
  { look: "unknown", word: "no value" },
];

/** The service says whether a rack is near its limit or over it; the blues below only help the eye. */
function stateBand(state: LoadState, value: number | null, steps: number[]): number {
  if (state === "over") return 4;
  if (state === "near") return 3;
  if (state === "unknown" || value === null) return 5;
  return steps.filter((edge) => value >= edge).length;
}

/** `of 42.0 kW a rack`, or of each rack's own. */
function limitWords(floor: PowerFloor): string {
  const limits = new Set(floor.racks.map((rack) => rack.limit_w).filter((limit) => limit !== null));
  return limits.size === 1 ? `of ${power([...limits][0]!)} a rack` : "of each rack's limit";
}

const POWER: Layer = {
  key: "power",
  word: "Power",
  caption: (floor) => `kW measured, ${limitWords(floor)}`,
  bands: () => POWER_BANDS,
  tile: (rack) => {
    const band = stateBand(rack.state, rack.share, STEPS);
    const known = rack.power_w !== null;
    const of = rack.limit_w === null ? "its limit is not known" : `of ${power(rack.limit_w)}, ${loadWord(rack.state)}`;
    return tileOf(POWER_BANDS, band, {
      fill: known && rack.share !== null ? clamp(rack.share) : null,
      text: known ? least(rack.at_least, kw(rack.power_w)).replace(" ", "") : "?",
      words: known ? `${rack.at_least ? "at least " : ""}${power(rack.power_w)} ${of}` : "power not known",
    });
  },
};

/** How far below the recommended inlet the bands begin, in °C. */
const BELOW_LIMIT = [5, 3, 1, 0];
const RECOMMENDED_C = 27;
const inletLimit = (floor: PowerFloor): number => floor.inlet_c_limit ?? RECOMMENDED_C;
const inletRange = (floor: PowerFloor): [number, number] => [inletLimit(floor) - 15, inletLimit(floor) + 3];

const INLET = scaled({
  key: "inlet",
  word: "Inlet",
  unit: "°C",
  digits: 1,
  caption: (floor) => `°C at the front, recommended to ${inletLimit(floor)}`,
  value: (rack) => rack.inlet_c,
  edges: (floor) => BELOW_LIMIT.map((below) => inletLimit(floor) - below),
  alarms: ["near", "over"],
  above: true,
  range: (_, floor) => inletRange(floor),
  words: (edges) => [...stepsUp("°C")(edges).slice(0, -1), `above ${edges.at(-1)}`],
});

const DELTA = scaled({
  key: "delta",
  word: "ΔT",
  unit: "°C",
  digits: 1,
  caption: () => "°C from front to back",
  value: (rack) => rack.delta_t_c,
  edges: () => [8, 12, 16],
  alarms: [],
  range: () => [0, 20],
  words: stepsUp("°C"),
});

const GPU_BANDS: readonly GpuBand[] = ["great", "good", "warm", "near", "slows", "unknown"];
export const GPU_LOOK: Record<GpuBand, Look> = { great: "step1", good: "step2", warm: "step3", near: "near", slows: "over", unknown: "unknown" };
const GPU_FROM_C = 30;
const GPU_TO_C = 95;

/** The bands of the site; the service says in which one a rack's worst GPU is, by the own limit of its model too. */
const GPU: Layer = {
  key: "gpu",
  word: "Hottest GPU",
  caption: () => "°C of the hottest GPU of a rack, by the bands of the site",
  bands: ({ gpu_bands_c: { great, good, near } }) => {
    const ends: Record<GpuBand, string> = {
      great: ` to ${great} °C`, good: ` below ${good}`, warm: ` below ${near}`, near: ` from ${near} or its model's limit`, slows: " at its model's limit", unknown: "",
    };
    return GPU_BANDS.map((band) => ({ look: GPU_LOOK[band], word: `${GPU_BAND[band].toLowerCase()}${ends[band]}` }));
  },
  tile: (rack, floor) => {
    const celsius = rack.hottest_gpu_c;
    if (celsius === null) return tileOf(GPU.bands(floor), GPU_BANDS.indexOf("unknown"), { fill: null, text: "?", words: "Hottest GPU not known" });
    const text = celsius.toFixed(0);
    return tileOf(GPU.bands(floor), GPU_BANDS.indexOf(rack.gpu_band), { fill: clamp((celsius - GPU_FROM_C) / (GPU_TO_C - GPU_FROM_C)), text, words: `Hottest GPU ${text} °C, ${GPU_BAND[rack.gpu_band].toLowerCase()}` });
  },
};

const SLOWED = scaled({
  key: "slowed",
  word: "Slowed GPUs",
  unit: "GPUs",
  digits: 0,
  caption: () => "GPUs whose clocks are held down now: by heat, by the power brake, by a power limit below the wanted one",
  value: (rack) => rack.slowed,
  least: (rack) => rack.slowed_at_least,
  edges: () => [1, 8],
  alarms: ["near", "over"],
  range: () => [0, 16],
  words: () => ["none", "1–7", "8 and more"],
});

const kilowatts = (watts: number | null): number | null => (watts === null ? null : watts / 1_000);
/** Less than what one machine draws is hardly free. */
const FREE_BANDS: Band[] = [
  { look: "step3", word: "40 kW and more" },
  { look: "step2", word: "20–40 kW" },
  { look: "step1", word: "10–20 kW" },
  { look: "near", word: "below 10 kW" },
  { look: "over", word: "none" },
  { look: "unknown", word: "no value" },
];

const FREE: Layer = {
  key: "free",
  word: "Free kW",
  caption: () => "kW that may still be drawn",
  bands: () => FREE_BANDS,
  tile: (rack) => {
    const free = kilowatts(rack.free_w);
    if (free === null) return tileOf(FREE_BANDS, 5, { fill: null, text: "?", words: "free power not known" });
    const band = free <= 0 ? 4 : free < 10 ? 3 : free < 20 ? 2 : free < 40 ? 1 : 0;
    const of = kilowatts(rack.limit_w);
    return tileOf(FREE_BANDS, band, { fill: of ? clamp(free / of) : null, text: free.toFixed(1), words: `${free.toFixed(1)} kW free` });
  },
};

export const LAYERS: readonly Layer[] = [POWER, INLET, DELTA, GPU, SLOWED, FREE];
export const layerOf = (key: string | null): Layer => LAYERS.find((layer) => layer.key === key) ?? POWER;

const airSteps = (floor: PowerFloor): number[] => BELOW_LIMIT.slice(0, 2).map((below) => inletLimit(floor) - below);
const airBands = (floor: PowerFloor): Band[] => banded([...stepsUp("°C")(airSteps(floor)), "near a limit", "over a limit"], ["near", "over"]);

/** An inlet with the state of the machines behind it: by its degrees alone nobody sees that GPUs slow down. */
function airTile(celsius: number | null, state: LoadState, floor: PowerFloor): Tile {
  const bands = airBands(floor);
  const band = stateBand(state, celsius, airSteps(floor));
  if (celsius === null) return tileOf(bands, band, { fill: null, text: "?", words: "Inlet not known" });
  const holds = state === "unknown" ? "not all of its machines and GPUs are known" : bands[band]!.word;
  return tileOf(bands, band, { fill: filled(celsius, inletRange(floor)), text: celsius.toFixed(1), words: `Inlet ${celsius.toFixed(1)} °C, ${holds}` });
}

/** What a question would make of the floor. `then`: as it would be, otherwise as it is. */
export function answerLayer(answer: WhatIf, then: boolean): Layer {
  const found = new Map<number, WhatIfRack>(answer.racks.map((rack) => [rack.id, rack]));
  const inWatts = answer.unit === "W";
  const loaded = (rack: FloorRack, after: boolean): FloorRack => {
    const hit = found.get(rack.id);
    if (!hit) return rack;
    const power_w = after ? hit.after : hit.before;
    return { ...rack, power_w, at_least: false, share: power_w !== null && rack.limit_w ? power_w / rack.limit_w : null, state: after ? hit.state : rack.state };
  };
  const drawn = (rack: FloorRack, floor: PowerFloor, after: boolean): Tile => {
    if (inWatts) return POWER.tile(loaded(rack, after), floor);
    const hit = found.get(rack.id);
    return airTile((after ? hit?.after : hit?.before) ?? null, (after ? hit?.state : hit?.state_before) ?? "unknown", floor);
  };
  const moment = then ? "as it would be" : "as it is now";
  return {
    key: "what-if",
    word: "What if",
    caption: (floor) => (inWatts ? `kW ${moment}, ${limitWords(floor)}` : `°C at the inlet ${moment}, held against what machines and their GPUs allow`),
    bands: inWatts ? POWER.bands : airBands,
    tile: (rack, floor) => {
      const tile = drawn(rack, floor, then);
      const hit = found.get(rack.id);
      if (!then || !hit || hit.before === null || hit.before === hit.after) return tile;
      const was = drawn(rack, floor, false);
      return { ...tile, was: was.fill, words: `${tile.words}; now ${was.text} ${inWatts ? "kW" : "°C"}` };
    },
    rowText: inWatts && then ? (racks) => sumText(racks.map((rack) => loaded(rack, true).power_w)) : undefined,
    note: then ? "dashed across: as it is now" : undefined,
  };
}

const ROOM_BANDS: Band[] = [
  { look: "step3", word: "4 and more" },
  { look: "step2", word: "2–3" },
  { look: "step1", word: "1" },
  { look: "near", word: "none" },
  { look: "unknown", word: "not known" },
];

/** How many more of a model each rack takes by itself. A rack that is not in the answer has no free units. */
export function roomLayer(answer: RoomLeft): Layer {
  const found = new Map(answer.racks.map((rack) => [rack.id, rack]));
  return {
    key: "room-left",
    word: "Room left",
    caption: () => `more ${answer.model} that fit in each rack by itself`,
    bands: () => ROOM_BANDS,
    tile: (rack) => {
      const room = found.get(rack.id);
      if (room?.alone === null) return tileOf(ROOM_BANDS, 4, { fill: null, text: "?", words: `room not known: ${room.limit}` });
      const count = room?.alone ?? 0;
      const band = count >= 4 ? 0 : count >= 2 ? 1 : count === 1 ? 2 : 3;
      return tileOf(ROOM_BANDS, band, { fill: clamp(count / 4), text: String(count), words: `room for ${count} more; ${room?.limit ?? "no free units are left"}` });
    },
    rowWord: "row",
    rowText: (racks) => {
      const counts = racks.map((rack) => (found.has(rack.id) ? found.get(rack.id)!.alone : 0));
      return least(counts.includes(null), String(counts.reduce<number>((sum, each) => sum + (each ?? 0), 0)));
    },
  };
}

/** A row's kilowatts where some may not be known. */
function sumText(watts: (number | null)[]): string {
  const known = watts.filter((each) => each !== null);
  return known.length ? least(known.length < watts.length, kw(known.reduce((sum, each) => sum + each, 0))) : "?";
}

/** How many racks are in each band of the legend. */
export function counted(layer: Layer, floor: PowerFloor): (Band & { count: number })[] {
  const counts = new Map<number, number>();
  for (const rack of floor.racks) {
    const { band } = layer.tile(rack, floor);
    counts.set(band, (counts.get(band) ?? 0) + 1);
  }
  return layer.bands(floor).map((band, i) => ({ ...band, count: counts.get(i) ?? 0 }));
}
