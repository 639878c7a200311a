// What is seen of the map: tracks counted in cells, some of them as points, and those along a line.
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

export interface MapFound {
  version: string;
  total: number;
  cells: number[];
  genres: string[];
  points: { id: number[]; x: number[]; y: number[]; genre: number[] };
  labels: { x: number; y: number; genre: string; tracks: number }[];
}

export interface TracksIn {
  total: number;
  items: (Point & { id: number })[];
}

/** Columns and rows in which genres are counted for labels. */
const LABEL_CELLS = 5;
/** A genre is named where it has this share of the tracks that have one, at least. */
const PREVAILS = 0.3;
const NO_GENRE = 0xff;

const isIn = ({ minX, minY, maxX, maxY }: Area, x: number, y: number): boolean =>
  x >= minX && x <= maxX && y >= minY && y <= maxY;

function* placesIn({ ids, xs, ys }: SoundMap, area: Area): Generator<number> {
  for (let i = 0; i < ids.length; i++) if (isIn(area, xs[i] as number, ys[i] as number)) yield i;
}

export function lookAtMap(
  index: SoundIndex,
  { area, points, cells }: { area: Area; points: number; cells: number },
): MapFound {
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
  const drawn = Math.min(points, places.length);
  const chosen = Array.from({ length: drawn }, (_, n) => places[Math.floor((n * places.length) / drawn)] as number);
  return {
    version,
    total: places.length,
    cells: [...counts],
    genres,
    points: {
      id: chosen.map((i) => map.ids[i] as number),
      x: chosen.map((i) => map.xs[i] as number),
      y: chosen.map((i) => map.ys[i] as number),
      genre: chosen.map((i) => (map.genres[i] === NO_GENRE ? -1 : (map.genres[i] as number))),
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
      const at = (cellOf(y, minY, maxY) * LABEL_CELLS + cellOf(x, minX, maxX)) * size + genre;
      counts[at] = (counts[at] as number) + 1;
      sumX[at] = (sumX[at] as number) + x;
      sumY[at] = (sumY[at] as number) + y;
    },
    /** One for each cell in which a genre prevails, the largest first. */
    finish(): MapFound['labels'] {
      const labels: MapFound['labels'] = [];
      for (let cell = 0; cell < LABEL_CELLS * LABEL_CELLS; cell++) {
        const here = counts.subarray(cell * size, (cell + 1) * size);
        const total = here.reduce((sum, one) => sum + one, 0);
        const most = Math.max(...here, 0);
        if (most === 0 || most < PREVAILS * total) continue;
        const at = cell * size + here.indexOf(most);
        labels.push({
          x: Math.round((sumX[at] as number) / most),
          y: Math.round((sumY[at] as number) / most),
          genre: genres[here.indexOf(most)] as string,
          tracks: most,
        });
      }
      return labels.sort((a, b) => b.tracks - a.tracks);
    },
  };
}

/** As people read: from the top to the bottom, and there from the left to the right. */
export function tracksIn(
  index: SoundIndex,
  { area, limit, offset }: { area: Area; limit: number; offset: number },
): TracksIn {
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

/** For points at equal distances along the line, the nearest track that is not taken yet. */
export function tracksAlong(
  index: SoundIndex,
  { points, count }: { points: readonly Point[]; count: number },
): number[] {
  const { ids, xs, ys } = index.map();
  const stops = stopsAlong(points, count);
  const taken = new Set<number>();
  for (const { x, y } of stops) {
    let [best, least] = [-1, Infinity];
    for (let i = 0; i < ids.length; i++) {
      const distance = ((xs[i] as number) - x) ** 2 + ((ys[i] as number) - y) ** 2;
      if (distance < least && !taken.has(i)) [best, least] = [i, distance];
    }
    if (best >= 0) taken.add(best);
  }
  return [...taken].map((i) => ids[i] as number);
}

function stopsAlong(points: readonly Point[], count: number): Point[] {
  const parts = points.slice(1).map((to, i) => {
    const from = points[i] as Point;
    return { from, to, length: Math.hypot(to.x - from.x, to.y - from.y) };
  });
  const whole = parts.reduce((sum, { length }) => sum + length, 0);
  return Array.from({ length: count }, (_, n) => {
    let left = (whole * n) / (count - 1);
    for (const { from, to, length } of parts) {
      if (left <= length && length > 0)
        return { x: from.x + ((to.x - from.x) * left) / length, y: from.y + ((to.y - from.y) * left) / length };
      left -= length;
    }
    return points.at(-1) as Point;
  });
}
