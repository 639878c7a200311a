// Where things of the map are on the screen. Pure. The map is a square of 0 to MAP_SIZE; a view is its middle and how
// many of its units are one pixel.
import type { MapArea } from '../../api/likeness.ts';

export const MAP_SIZE = 65_535;
/** At the nearest, a pixel is this part of the map. */
const MIN_SCALE = 1 / 4;

export interface View {
  x: number;
  y: number;
  /** Units of the map in a pixel. */
  scale: number;
}
export interface Size {
  width: number;
  height: number;
}
export interface Point {
  x: number;
  y: number;
}

export const wholeMap = ({ width, height }: Size): View => ({
  x: MAP_SIZE / 2,
  y: MAP_SIZE / 2,
  scale: (MAP_SIZE * 1.04) / Math.max(1, Math.min(width, height)),
});

export const toScreen = ({ x, y }: Point, view: View, { width, height }: Size): Point => ({
  x: (x - view.x) / view.scale + width / 2,
  y: (y - view.y) / view.scale + height / 2,
});
export const toMap = ({ x, y }: Point, view: View, { width, height }: Size): Point => ({
  x: (x - width / 2) * view.scale + view.x,
  y: (y - height / 2) * view.scale + view.y,
});

const clamp = (value: number, from: number, to: number): number => Math.min(to, Math.max(from, value));
const unit = (value: number): number => Math.round(clamp(value, 0, MAP_SIZE));

/** As near or as far as makes sense, with the middle on the map. */
function withinMap(view: View, size: Size): View {
  const farthest = wholeMap(size).scale;
  return {
    x: clamp(view.x, 0, MAP_SIZE),
    y: clamp(view.y, 0, MAP_SIZE),
    scale: clamp(view.scale, MIN_SCALE, Math.max(MIN_SCALE, farthest)),
  };
}

/** Nearer with a factor above 1; what is under the pointer stays there. */
export function zoomed(view: View, size: Size, factor: number, at: Point): View {
  const oldPoint = toMap(at, view, size);
  const scale = withinMap({ ...view, scale: view.scale / factor }, size).scale;
  const newPoint = toMap(at, { ...view, scale }, size);
  return withinMap({ x: view.x + oldPoint.x - newPoint.x, y: view.y + oldPoint.y - newPoint.y, scale }, size);
}

export const moveView = (view: View, size: Size, dx: number, dy: number): View =>
  withinMap({ ...view, x: view.x - dx * view.scale, y: view.y - dy * view.scale }, size);

/** What is seen. */
export function areaOf(view: View, size: Size): MapArea {
  const from = toMap({ x: 0, y: 0 }, view, size);
  const to = toMap({ x: size.width, y: size.height }, view, size);
  return { min_x: unit(from.x), min_y: unit(from.y), max_x: unit(to.x), max_y: unit(to.y) };
}

/** In steps, so that walking a little asks for nothing new: what is seen, and about half of that around it. */
export function fetchedArea(view: View, size: Size): MapArea {
  const visibleArea = areaOf(view, size);
  const span = Math.max(visibleArea.max_x - visibleArea.min_x, visibleArea.max_y - visibleArea.min_y);
  const step = Math.max(1, 2 ** Math.round(Math.log2(span / 2)));
  const down = (value: number) => unit(Math.floor(value / step) * step);
  const up = (value: number) => unit(Math.ceil(value / step) * step);
  return {
    min_x: down(visibleArea.min_x),
    min_y: down(visibleArea.min_y),
    max_x: up(visibleArea.max_x),
    max_y: up(visibleArea.max_y),
  };
}

/** A line drawn by hand has a point for each move of the pointer: as many of them as say the same. */
export function thinned(line: readonly Point[], most: number): Point[] {
  if (line.length <= most) return [...line];
  return Array.from({ length: most }, (_, i) => line[Math.round((i * (line.length - 1)) / (most - 1))]!);
}

/** Index of the nearest of these points within a distance, or -1. */
export function nearest(xs: readonly number[], ys: readonly number[], at: Point, distance: number): number {
  let best = -1;
  let least = distance ** 2;
  for (let i = 0; i < xs.length; i += 1) {
    const away = (xs[i]! - at.x) ** 2 + (ys[i]! - at.y) ** 2;
    if (away <= least) [best, least] = [i, away];
  }
  return best;
}
