/** Draws the floor on a canvas. Drawing parts of it (racks that changed) is the same code within their edges. */
import type { Cell, MachineRow } from "../api/shapes.ts";
import { type Box, cellBox, floorBounds, grow, headerHeight, overlaps, rackBox, rowLabels } from "./geometry.ts";
import type { Layer } from "./layer.ts";
import type { FloorModel, Rack } from "./model.ts";
import type { Palette } from "./palette.ts";
import { CELL_STYLE, cellMarks, type CellStyle, groupMarks, groupStyle, type Mark, stepStyle } from "./shapes.ts";
import { type Size, toWorld, type View } from "./view.ts";

export interface Scene {
  model: FloorModel;
  layer: Layer;
  view: View;
  size: Size;
  palette: Palette;
  font: string;
  /** Cells to show in full; the others are dimmed. Empty: all. */
  filter: ReadonlySet<Cell>;
  /** Machines that somebody selected. */
  marked: ReadonlySet<number>;
  nowMs: number;
}

type Context = CanvasRenderingContext2D;

const DIMMED = 0.14;
const WALL_MM = 110;
/** A cell this large has room for the machine's name, and from NOTE_PX on for what matters about it. */
const NAME_PX = { w: 84, h: 22 };
const NOTE_PX = 40;
const NAME_SIZE = { least: 9.5, most: 12 };
/** The share of its cell that a mark above the name is high. */
const ABOVE = 0.36;
const BADGE_PX = 7;
/** How far a rack's badge and edge reach over its tile, in pixels. */
export const OVERHANG_PX = 10;

/** The context must map CSS pixels; `parts` are in millimetres, the whole window when left out. */
export function drawFloor(ctx: Context, scene: Scene, parts?: readonly Box[]): void {
  const { view, size } = scene;
  const a = toWorld(view, 0, 0);
  const b = toWorld(view, size.w, size.h);
  const windows = parts ?? [{ x: a.x, y: a.y, w: b.x - a.x, h: b.y - a.y }];
  ctx.save();
  ctx.beginPath();
  for (const window of windows) {
    const { x, y, w, h } = screenBox(view, window);
    ctx.rect(x, y, w, h);
  }
  ctx.clip();
  drawGround(ctx, scene);
  const near = windows.map((window) => grow(window, OVERHANG_PX / view.scale));
  const racks = [...scene.model.racks.values()].filter((rack) => {
    const box = rackBox(rack);
    return near.some((each) => overlaps(box, each));
  });
  for (const rack of racks) drawTile(ctx, scene, rack);
  drawCells(ctx, scene, racks);
  drawMarked(ctx, scene, racks);
  for (const rack of racks) drawBadge(ctx, scene, rack);
  drawRowLetters(ctx, scene);
  ctx.restore();
}

function screenBox(view: View, box: Box): Box {
  return { x: box.x * view.scale + view.tx, y: box.y * view.scale + view.ty, w: box.w * view.scale, h: box.h * view.scale };
}

function drawGround(ctx: Context, { model, view, size, palette, font }: Scene): void {
  ctx.fillStyle = palette("floor");
  ctx.fillRect(0, 0, size.w, size.h);
  // The wall is drawn around what stands in the room: with squeezed aisles the real one would be far off.
  const room = screenBox(view, grow(floorBounds(model), -WALL_MM));
  drawTiles(ctx, room, 600 * view.scale, size, palette);
  ctx.strokeStyle = palette("line-2");
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.roundRect(room.x, room.y, room.w, room.h, 8);
  ctx.stroke();
  for (const aisle of model.aisles) {
    const box = screenBox(view, { x: aisle.x_mm, y: aisle.y_mm, w: aisle.width_mm, h: aisle.depth_mm });
    ctx.fillStyle = palette(aisle.kind);
    ctx.fillRect(box.x, box.y, box.w, box.h);
    if (box.h < 15) continue;
    ctx.fillStyle = palette(`${aisle.kind}-ink`);
    ctx.font = `600 ${Math.min(10.5, box.h * 0.55)}px ${font}`;
    ctx.letterSpacing = "0.8px";
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    const left = Math.max(box.x, 0);
    const right = Math.min(box.x + box.w, size.w);
    if (right > left) ctx.fillText(aisleText(aisle.kind, aisle.name), (left + right) / 2, box.y + box.h / 2);
    ctx.letterSpacing = "0px";
  }
}

/** `COLD AISLE A · B`; a name that already says so is not repeated. */
export function aisleText(kind: string, name: string): string {
  const text = name.toLowerCase().includes("aisle") || name.toLowerCase().includes(kind) ? name : `${kind} aisle ${name}`;
  return text.toUpperCase();
}

/** The 600 mm floor tiles, as long as they are wide enough to be seen as tiles. */
function drawTiles(ctx: Context, room: Box, step: number, size: Size, palette: Palette): void {
  if (step < 12) return;
  ctx.strokeStyle = palette("tile");
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let x = room.x; x <= room.x + room.w; x += step) if (x >= 0 && x <= size.w) line(ctx, x, room.y, x, room.y + room.h);
  for (let y = room.y; y <= room.y + room.h; y += step) if (y >= 0 && y <= size.h) line(ctx, room.x, y, room.x + room.w, y);
  ctx.stroke();
}

function line(ctx: Context, x1: number, y1: number, x2: number, y2: number): void {
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
}

function shown(scene: Scene, cell: Cell): boolean {
  return scene.filter.size === 0 || scene.filter.has(cell);
}

function drawTile(ctx: Context, scene: Scene, rack: Rack): void {
  const { view, palette, font } = scene;
  const box = screenBox(view, rackBox(rack));
  const failed = scene.layer.badge(rack) !== "" && shown(scene, scene.layer.alarm);
  ctx.fillStyle = palette("rack");
  ctx.strokeStyle = palette(failed ? "cell-failed" : "rack-line");
  ctx.lineWidth = failed ? 1.7 : 0.8;
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.w, box.h, Math.min(3, box.w / 8));
  ctx.fill();
  ctx.stroke();
  if (rack.role !== "compute" && !rack.machines.length) drawShelves(ctx, box, headerHeight(rack) * view.scale, palette);
  const text = Math.min(headerHeight(rack) * view.scale * 0.82, 15);
  if (text < 6.2) return;
  ctx.fillStyle = palette("ink-2");
  ctx.font = `600 ${text.toFixed(1)}px ${font}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  const name = cutToFit(ctx, rack.name, box.w * 0.86);
  ctx.fillText(name, box.x + box.w * 0.07, box.y + (headerHeight(rack) * view.scale) / 2 + 0.5);
}

/** A rack without machines (switches, storage): thin shelves, so that it reads as a rack and not as an empty one. */
function drawShelves(ctx: Context, box: Box, header: number, palette: Palette): void {
  const shelves = 12;
  const step = (box.h - header - box.h * 0.05) / shelves;
  ctx.strokeStyle = palette("ink-3");
  ctx.lineWidth = Math.min(Math.max(0.6, step * 0.12), 1.1);
  ctx.beginPath();
  for (let i = 0; i < shelves; i += 1) ctx.rect(box.x + box.w * 0.12, box.y + header + i * step, box.w * 0.76, step * 0.62);
  ctx.stroke();
}

/** How all machines of one cell or one group are drawn. */
interface Look {
  style: CellStyle;
  marks: (box: Box) => Mark[];
  dimmed: boolean;
}

function lookOf(scene: Scene, machine: MachineRow, cell: Cell, group: number | null): Look {
  const dimmed = scene.layer.dims?.(machine) ?? !shown(scene, cell);
  if (group !== null && scene.layer.scale) return { style: stepStyle(group), marks: () => [], dimmed };
  if (group !== null) return { style: groupStyle(group), marks: (box) => groupMarks(group, box), dimmed };
  return { style: CELL_STYLE[cell], marks: (box) => cellMarks(cell, box), dimmed };
}

/** All cells of one look at once: eight fills for the whole floor instead of one for each machine. */
function drawCells(ctx: Context, scene: Scene, racks: Rack[]): void {
  const byLook = new Map<string, { look: Look; group: PlacedCell[] }>();
  for (const rack of racks) {
    rack.machines.forEach((machine, index) => {
      const drawn = { machine, box: screenBox(scene.view, cellBox(rack, index)) };
      const cell = scene.layer.cellOf(machine);
      const number = scene.layer.groupOf?.(machine) ?? null;
      const key = number === null ? cell : String(number);
      const group = byLook.get(key)?.group;
      if (group) group.push(drawn);
      else byLook.set(key, { look: lookOf(scene, machine, cell, number), group: [drawn] });
    });
  }
  for (const { look, group } of byLook.values()) {
    ctx.globalAlpha = look.dimmed ? DIMMED : 1;
    const named = group.map(({ machine, box }) => ({ machine, box, name: placeName(ctx, scene, look, box) }));
    drawCellGroup(ctx, scene.palette, look, named);
    for (const drawn of named) if (drawn.name.size) drawName(ctx, scene, drawn, look);
  }
  ctx.globalAlpha = 1;
}

/** A thick edge around what is selected, with one of paper within that sets it off from every colour; all of it inside
 * the cell, so that a part of the floor can be drawn by itself. */
function drawMarked(ctx: Context, { marked, view, palette }: Scene, racks: Rack[]): void {
  if (!marked.size) return;
  const boxes = racks.flatMap((rack) => rack.machines.flatMap((machine, index) => (marked.has(machine.id) ? screenBox(view, cellBox(rack, index)) : [])));
  for (const [token, share] of [["surface", 1.3], ["accent", 0.5]] as const) {
    ctx.strokeStyle = palette(token);
    for (const box of boxes) {
      const width = Math.min(3, box.h / 4, box.w / 4);
      ctx.lineWidth = width;
      ctx.strokeRect(box.x + share * width, box.y + share * width, box.w - 2 * share * width, box.h - 2 * share * width);
    }
  }
}

interface PlacedCell {
  machine: MachineRow;
  box: Box;
}

interface DrawnCell extends PlacedCell {
  name: NamePlace;
}

/** The longest name of a floor, so that all names are set in one size. Machines do not change their names. */
const longestOf = new WeakMap<FloorModel, string>();

function longestName(model: FloorModel): string {
  let longest = longestOf.get(model);
  if (longest === undefined) {
    longest = "";
    for (const { name } of model.machines.values()) if (name.length > longest.length) longest = name;
    longestOf.set(model, longest);
  }
  return longest;
}

/** How a name stands in a cell: its size (0: not at all), and whether a mark must make room above it. */
export interface NamePlace {
  size: number;
  markAbove: boolean;
}

const NO_NAME: NamePlace = { size: 0, markAbove: false };

function placeName(ctx: Context, scene: Scene, look: Look, box: Box): NamePlace {
  if (box.w < NAME_PX.w || box.h < NAME_PX.h) return NO_NAME;
  ctx.font = nameFont(NAME_SIZE.most, scene.font);
  return placeOf(isMarked(look), box, ctx.measureText(longestName(scene.model)).width);
}

/** One size for all cells of a floor: beside the mark, or where that is too small over the whole width with the mark above.
 *
 * `wanted` is the width of the longest name at full size. A broken machine keeps its name wherever a healthy one has it.
 */
export const namePlace = (cell: Cell, box: Box, wanted: number): NamePlace => placeOf(hasMark(cell), box, wanted);

function placeOf(marked: boolean, box: Box, wanted: number): NamePlace {
  const besideMark = nameSizeFor(wanted, nameWidth(box, true));
  if (besideMark) return { size: besideMark, markAbove: false };
  return { size: nameSizeFor(wanted, nameWidth(box, false)), markAbove: marked };
}

const nameFont = (size: number, font: string): string => `620 ${size.toFixed(1)}px ${font}`;

/** The size at which a text `wanted` pixels wide at full size fits a width; 0 if it would be too small to read. */
export function nameSizeFor(wanted: number, width: number): number {
  const size = Math.min(NAME_SIZE.most, (NAME_SIZE.most * width) / Math.max(wanted, 1));
  return size < NAME_SIZE.least ? 0 : size;
}

const hasMark = (cell: Cell): boolean => cellMarks(cell, { x: 0, y: 0, w: 1, h: 1 }).length > 0;
const isMarked = (look: Look): boolean => look.marks({ x: 0, y: 0, w: 100, h: 100 }).length > 0;

/** A narrow cell keeps its room for the name: less air, and a mark no wider than high. */
const isNarrow = (box: Box): boolean => box.w < 115;
const air = (box: Box): number => (isNarrow(box) ? 5 : 8);
const markHeight = (box: Box): number => Math.min(box.h * 0.7, box.w * 0.16, 22);
const markWidth = (box: Box): number => markHeight(box) * (isNarrow(box) ? 1 : 1.5);
const nameWidth = (box: Box, marked: boolean): number => box.w - 2 * air(box) - (marked ? markWidth(box) + 4 : 0);

/** Beside a name the mark stands small on the right; above one, in the upper right corner. */
export function markBox({ box, name }: Pick<DrawnCell, "box" | "name">): Box {
  if (!name.size) return box;
  if (name.markAbove) {
    const side = box.h * ABOVE;
    return { x: box.x + box.w - side - 3, y: box.y + 1.5, w: side, h: side };
  }
  const [w, h] = [markWidth(box), markHeight(box)];
  return { x: box.x + box.w - w - air(box), y: box.y + (box.h - h) / 2, w, h };
}

function drawName(ctx: Context, scene: Scene, { machine, box, name }: DrawnCell, look: Look): void {
  const { palette, font, layer } = scene;
  const note = box.h >= NOTE_PX ? layer.note(machine, scene.nowMs) : "";
  ctx.fillStyle = palette(look.style.text);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.font = nameFont(name.size, font);
  const middle = nameMiddle(box, name);
  ctx.fillText(machine.name, box.x + air(box), note ? middle - 8 : middle + 0.5);
  if (!note) return;
  ctx.font = `450 ${Math.min(name.size, 11.5).toFixed(1)}px ${font}`;
  ctx.fillText(cutToFit(ctx, note, nameWidth(box, isMarked(look) && !name.markAbove)), box.x + air(box), middle + 8.5);
}

/** Where the line of the name runs: in the middle, or of what a mark above leaves. */
export const nameMiddle = (box: Box, name: NamePlace): number =>
  name.markAbove ? box.y + 1.5 + box.h * ABOVE + (box.h * (1 - ABOVE) - 1.5) / 2 : box.y + box.h / 2;

/** A text in the present font, cut with "…" where it is too long; never squeezed. */
function cutToFit(ctx: Context, text: string, width: number): string {
  if (ctx.measureText(text).width <= width) return text;
  let end = text.length - 1;
  while (end > 0 && ctx.measureText(`${text.slice(0, end)}…`).width > width) end -= 1;
  return end > 0 ? `${text.slice(0, end)}…` : "";
}

function drawCellGroup(ctx: Context, palette: Palette, look: Look, group: DrawnCell[]): void {
  const { style } = look;
  ctx.beginPath();
  for (const { box } of group) {
    // Rounded corners cost far more than they show on a cell a few pixels high.
    if (box.h < 9) ctx.rect(box.x, box.y, box.w, box.h);
    else ctx.roundRect(box.x, box.y, box.w, box.h, 2.5);
  }
  if (style.fill) {
    ctx.fillStyle = palette(style.fill);
    ctx.fill();
  }
  ctx.strokeStyle = palette(style.line);
  ctx.lineWidth = 0.9;
  ctx.setLineDash(style.dash ?? []);
  ctx.stroke();
  ctx.setLineDash([]);
  drawMarks(ctx, palette, look, group);
}

/** The marks of a state as one path; their strokes are of one width, because cells of one view are of one size. */
function drawMarks(ctx: Context, palette: Palette, look: Look, group: DrawnCell[]): void {
  const marks = group.filter(({ box }) => box.h >= 3).flatMap((drawn) => look.marks(markBox(drawn)));
  const first = marks[0];
  if (!first) return;
  const path = new Path2D(marks.map((mark) => mark.path).join(""));
  if (first.fill) {
    ctx.fillStyle = palette(first.fill);
    ctx.fill(path);
  }
  if (first.stroke) {
    ctx.lineCap = "round";
    ctx.strokeStyle = palette(first.stroke);
    ctx.lineWidth = first.width ?? 1;
    ctx.stroke(path);
    ctx.lineCap = "butt";
  }
}

/** How many machines of a rack failed (or what else the layer says), on its corner: readable when the whole floor is in sight. */
function drawBadge(ctx: Context, scene: Scene, rack: Rack): void {
  const text = scene.layer.badge(rack);
  if (!text || !shown(scene, scene.layer.alarm)) return;
  const { view, palette, font } = scene;
  const box = screenBox(view, rackBox(rack));
  const r = Math.min(BADGE_PX, Math.max(box.w * 0.26, 4));
  ctx.beginPath();
  ctx.arc(box.x + box.w - 1, box.y + 1, r, 0, 2 * Math.PI);
  ctx.fillStyle = palette("cell-failed");
  ctx.strokeStyle = palette("floor");
  ctx.lineWidth = 1.6;
  ctx.fill();
  ctx.stroke();
  ctx.fillStyle = palette("cell-failed-mark");
  ctx.font = `700 ${(r * 1.3).toFixed(1)}px ${font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(text, box.x + box.w - 1, box.y + 1.5);
}

/** The row's name left of its first rack, or at the window's edge when that is out of sight. */
function drawRowLetters(ctx: Context, { model, view, palette, font }: Scene): void {
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const { name, box } of rowLabels(model)) {
    const place = screenBox(view, box);
    const letter = Math.min(Math.max(place.h * 0.38, 10), 15);
    ctx.font = `700 ${letter.toFixed(1)}px ${font}`;
    const width = ctx.measureText(name).width;
    const natural = place.x - letter * 0.5 - width / 2;
    const x = Math.max(natural, 3 + width / 2);
    if (x > natural + 3) {
      ctx.fillStyle = palette("floor");
      ctx.globalAlpha = 0.85;
      ctx.beginPath();
      ctx.roundRect(x - width / 2 - 7, place.y + place.h / 2 - 13, width + 14, 26, 7);
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    ctx.fillStyle = palette("ink-2");
    ctx.fillText(name, x, place.y + place.h / 2);
  }
}
