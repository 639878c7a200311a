// Reads parts of the map: the number of tracks per cell, some tracks as points, and tracks along a line.
import type { SoundIndex, SoundMap } from './sound-index.ts';

export interface Point {
  x: number;
  y: number;
}

export interface Area {
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
}

export interface MapView {
  version: string;
  total: number;
  cells: number[];
  genres: string[];
  points: { id: number[]; x: number[]; y: number[]; genre: number[] };
  labels: { x: number; y: number; genre: string; tracks: number }[];
}

export interface AreaTracks {
  total: number;
  items: (Point & { id: number })[];
}

/** The number of columns and of rows in which genres are counted for labels. */
const LABEL_CELLS = 5;
/** A cell is labelled with a genre that at least this share of its tracks with a genre have. */
const MIN_LABEL_SHARE = 0.3;
const NO_GENRE = 0xff;

const isInArea = ({ minX, minY, maxX, maxY }: Area, x: number, y: number): boolean =>
  x >= minX && x <= maxX && y >= minY && y <= maxY;

function* placesIn({ ids, xs, ys }: SoundMap, area: Area): Generator<number> {
  for (let i = 0; i < ids.length; i++) if (isInArea(area, xs[i] as number, ys[i] as number)) yield i;
}

export function readMap(
  index: SoundIndex,
  { area, points, cells }: { area: Area; points: number; cells: number },
): MapView {
  const map = index.map();
  const { genres, version } = index.header;
  const counts = new Int32Array(cells * cells);
  const labels = createLabels(area, genres);
  const width = area.maxX - area.minX + 1;
  const height = area.maxY - area.minY + 1;
  const places = Int32Array.from(placesIn(map, area));
  for (const i of places) {
    const [x, y, genre] = [map.xs[i] as number, map.ys[i] as number, map.genres[i] as number];
    const cell = Math.floor(((y - area.minY) * cells) / height) * cells + Math.floor(((x - area.minX) * cells) / width);
    counts[cell] = (counts[cell] as number) + 1;
    if (genre !== NO_GENRE) labels.count(x, y, genre);
  }
  const pointCount = Math.min(points, places.length);
  const shownPlaces = Array.from(
    { length: pointCount },
    (_, n) => places[Math.floor((n * places.length) / pointCount)] as number,
  );
  return {
    version,
    total: places.length,
    cells: [...counts],
    genres,
    points: {
      id: shownPlaces.map((i) => map.ids[i] as number),
      x: shownPlaces.map((i) => map.xs[i] as number),
      y: shownPlaces.map((i) => map.ys[i] as number),
      genre: shownPlaces.map((i) => (map.genres[i] === NO_GENRE ? -1 : (map.genres[i] as number))),
    },
    labels: labels.finish(),
  };
}

function createLabels({ minX, minY, maxX, maxY }: Area, genres: readonly string[]) {
  const size = genres.length;
  const counts = new Int32Array(LABEL_CELLS * LABEL_CELLS * size);
  const sumX = new Float64Array(counts.length);
  const sumY = new Float64Array(counts.length);
  const cellOf = (value: number, low: number, high: number): number =>
    Math.floor(((value - low) * LABEL_CELLS) / (high - low + 1));
  return {
    count(x: number, y: number, genre: number): void {
      const index = (cellOf(y, minY, maxY) * LABEL_CELLS + cellOf(x, minX, maxX)) * size + genre;
      counts[index] = (counts[index] as number) + 1;
      sumX[index] = (sumX[index] as number) + x;
      sumY[index] = (sumY[index] as number) + y;
    },
    /** Returns a label for each cell in which one genre prevails, the largest first. */
    finish(): MapView['labels'] {
      const labels: MapView['labels'] = [];
      for (let cell = 0; cell < LABEL_CELLS * LABEL_CELLS; cell++) {
        const cellCounts = counts.subarray(cell * size, (cell + 1) * size);
        const total = cellCounts.reduce((sum, count) => sum + count, 0);
        const maxCount = Math.max(...cellCounts, 0);
        if (maxCount === 0 || maxCount < MIN_LABEL_SHARE * total) continue;
        const index = cell * size + cellCounts.indexOf(maxCount);
        labels.push({
          x: Math.round((sumX[index] as number) / maxCount),
          y: Math.round((sumY[index] as number) / maxCount),
          genre: genres[cellCounts.indexOf(maxCount)] as string,
          tracks: maxCount,
        });
      }
      return labels.sort((a, b) => b.tracks - a.tracks);
    },
  };
}

/** Lists tracks in reading order: from top to bottom, and from left to right. */
export function tracksIn(
  index: SoundIndex,
  { area, limit, offset }: { area: Area; limit: number; offset: number },
): AreaTracks {
  const map = index.map();
  const rows = Math.max(1, (area.maxY - area.minY) / 24);
  const keyOf = (i: number): number =>
    Math.floor(((map.ys[i] as number) - area.minY) / rows) * 2 ** 20 + (map.xs[i] as number);
  const places = Int32Array.from(placesIn(map, area));
  const keys = Float64Array.from(places, (i, n) => keyOf(i) * 2 ** 21 + n).sort();
  const page = Array.from(keys.subarray(offset, offset + limit), (key) => places[key % 2 ** 21] as number);
  return {
    total: places.length,
    items: page.map((i) => ({ id: map.ids[i] as number, x: map.xs[i] as number, y: map.ys[i] as number })),
  };
}

/** Returns, for points at equal distances along a line, the nearest track that is not taken yet. */
export function tracksAlong(
  index: SoundIndex,
  { points, count }: { points: readonly Point[]; count: number },
): number[] {
  const { ids, xs, ys } = index.map();
  const stops = stopsAlong(points, count);
  const takenPlaces = new Set<number>();
  for (const { x, y } of stops) {
    let [nearestIndex, smallestDistance] = [-1, Infinity];
    for (let i = 0; i < ids.length; i++) {
      const distance = ((xs[i] as number) - x) ** 2 + ((ys[i] as number) - y) ** 2;
      if (distance < smallestDistance && !takenPlaces.has(i)) [nearestIndex, smallestDistance] = [i, distance];
    }
    if (nearestIndex >= 0) takenPlaces.add(nearestIndex);
  }
  return [...takenPlaces].map((i) => ids[i] as number);
}

function stopsAlong(points: readonly Point[], count: number): Point[] {
  const parts = points.slice(1).map((to, i) => {
    const from = points[i] as Point;
    return { from, to, length: Math.hypot(to.x - from.x, to.y - from.y) };
  });
  const totalLength = parts.reduce((sum, { length }) => sum + length, 0);
  return Array.from({ length: count }, (_, n) => {
    let remainingLength = (totalLength * n) / (count - 1);
    for (const { from, to, length } of parts) {
      if (remainingLength <= length && length > 0)
        return {
          x: from.x + ((to.x - from.x) * remainingLength) / length,
          y: from.y + ((to.y - from.y) * remainingLength) / length,
        };
      remainingLength -= length;
    }
    return points.at(-1) as Point;
  });
}
