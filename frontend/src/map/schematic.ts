/** Aisles are drawn narrower than they are, so that racks, which one reads, get the room. Order and rack sizes stay true. */

export interface Span {
  from: number;
  to: number;
}

/** A monotone map along one axis: spans with racks keep their length, gaps longer than `limit` shrink to it.
 *
 * So does what lies beyond the first and the last rack: an aisle along the wall, or the empty part of a room.
 */
export function squeeze(spans: Span[], limit: number): (at: number) => number {
  const solid = merge(spans);
  // Break points (real position, drawn position), in order; linear between them, true to scale outside up to the limit.
  const points: [number, number][] = [];
  let drawn = solid[0]?.from ?? 0;
  solid.forEach((span, i) => {
    const before = solid[i - 1];
    if (before) drawn += Math.min(span.from - before.to, limit);
    points.push([span.from, drawn]);
    drawn += span.to - span.from;
    points.push([span.to, drawn]);
  });
  return (at) => interpolate(points, at, limit);
}

function merge(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else merged.push({ ...span });
  }
  return merged;
}

function interpolate(points: [number, number][], at: number, limit: number): number {
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last) return at;
  if (at <= first[0]) return first[1] - Math.min(first[0] - at, limit);
  if (at >= last[0]) return last[1] + Math.min(at - last[0], limit);
  const next = points.findIndex(([real]) => real >= at);
  const [r0, d0] = points[next - 1] ?? first;
  const [r1, d1] = points[next] ?? last;
  return r1 === r0 ? d0 : d0 + ((at - r0) / (r1 - r0)) * (d1 - d0);
}
