// Positions of the map's points on the screen. Pure. The map is a square of 0 to MAP_SIZE; a view consists of its
// middle and the number of map units per pixel.
import type { MapArea } from '../../api/likeness.ts';

export const MAP_SIZE = 65_535;
/** Map units per pixel at the highest zoom. */
const MIN_SCALE = 1 / 4;

export interface View {
  x: number;
  y: number;
  /** Map units per pixel. */
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

/** Limits the zoom of a view, and keeps its middle on the map. */
function withinMap(view: View, size: Size): View {
  const farthest = wholeMap(size).scale;
  return {
    x: clamp(view.x, 0, MAP_SIZE),
    y: clamp(view.y, 0, MAP_SIZE),
    scale: clamp(view.scale, MIN_SCALE, Math.max(MIN_SCALE, farthest)),
  };
}

/** Zooms in with a factor above 1; the point under the pointer stays in place. */
export function zoomed(view: View, size: Size, factor: number, fixedPoint: Point): View {
  const oldPoint = toMap(fixedPoint, view, size);
  const scale = withinMap({ ...view, scale: view.scale / factor }, size).scale;
  const newPoint = toMap(fixedPoint, { ...view, scale }, size);
  return withinMap({ x: view.x + oldPoint.x - newPoint.x, y: view.y + oldPoint.y - newPoint.y, scale }, size);
}

export const moveView = (view: View, size: Size, dx: number, dy: number): View =>
  withinMap({ ...view, x: view.x - dx * view.scale, y: view.y - dy * view.scale }, size);

/** Returns the visible area. */
export function areaOf(view: View, size: Size): MapArea {
  const from = toMap({ x: 0, y: 0 }, view, size);
  const to = toMap({ x: size.width, y: size.height }, view, size);
  return { min_x: unit(from.x), min_y: unit(from.y), max_x: unit(to.x), max_y: unit(to.y) };
}

/**
 * Returns the area to fetch: the visible area and about half of it around it, in steps, so that a short pan needs no
 * new request.
 */
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

/**
 * Returns a line drawn by hand with at most `most` of its points, evenly chosen; the line has a point for each move of
 * the pointer.
 */
export function thinned(line: readonly Point[], maxPoints: number): Point[] {
  if (line.length <= maxPoints) return [...line];
  return Array.from({ length: maxPoints }, (_, i) => line[Math.round((i * (line.length - 1)) / (maxPoints - 1))]!);
}

/** Returns the index of the nearest of these points within a distance, or -1. */
export function nearest(xs: readonly number[], ys: readonly number[], point: Point, distance: number): number {
  let nearestIndex = -1;
  let nearestDistance = distance ** 2;
  for (let i = 0; i < xs.length; i += 1) {
    const squaredDistance = (xs[i]! - point.x) ** 2 + (ys[i]! - point.y) ** 2;
    if (squaredDistance <= nearestDistance) [nearestIndex, nearestDistance] = [i, squaredDistance];
  }
  return nearestIndex;
}
