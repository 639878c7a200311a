// Draws the map without React: the density as background, a pixel or square for each track (tens of thousands of them
// in a few milliseconds, without a graphics card), then names of genres and the line.
import type { MapArea, MapPart } from '../../api/likeness.ts';
import { toScreen, type Point, type Size, type View } from './map-view.ts';

/** Degrees between the hues of consecutive genres in the list, so that neighbouring hues differ clearly. */
const GOLDEN_ANGLE = 137.5;
const MAX_LABELS = 24;
/** Minimum distance between two labels of the same genre. */
const SAME_GENRE_PX = 180;
const OPAQUE = 0xff000000;

interface Colours {
  /** Colours in the byte order of a canvas: alpha, blue, green, red. */
  genres: number[];
  otherGenres: number;
  ink: string;
  halo: string;
  accent: string;
}

/** Returns the colour of a genre in this theme, for the map and its legend. */
export const genreColour = (index: number, isDark: boolean): string =>
  `oklch(${isDark ? 0.76 : 0.58} 0.15 ${(40 + index * GOLDEN_ANGLE) % 360})`;

export function coloursOf(element: HTMLElement, genres: number): Colours {
  const style = getComputedStyle(element);
  const isDark = document.documentElement.dataset['mantineColorScheme'] === 'dark';
  const probe = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
  const pixelOf = (colour: string): number => {
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = probe.getImageData(0, 0, 1, 1).data;
    return (OPAQUE | (blue << 16) | (green << 8) | red) >>> 0;
  };
  return {
    genres: Array.from({ length: genres }, (_, i) => pixelOf(genreColour(i, isDark))),
    otherGenres: pixelOf(style.getPropertyValue('--ink-3')),
    ink: style.getPropertyValue('--ink'),
    halo: style.getPropertyValue('--bg'),
    accent: style.getPropertyValue('--brand'),
  };
}

/** Returns the number of tracks in each cell as one small picture, which is stretched over the map. */
export function densityOf({ cells }: MapPart, ink: string): OffscreenCanvas | null {
  const side = Math.round(Math.sqrt(cells.length));
  const maxLog = Math.log1p(Math.max(...cells, 0));
  if (side === 0 || maxLog === 0) return null;
  const picture = new OffscreenCanvas(side, side);
  const context = picture.getContext('2d')!;
  context.fillStyle = ink;
  cells.forEach((count, i) => {
    context.globalAlpha = 0.22 * (Math.log1p(count) / maxLog);
    context.fillRect(i % side, Math.floor(i / side), 1, 1);
  });
  return picture;
}

interface Scene {
  view: View;
  size: Size;
  /** Device pixels per CSS pixel. */
  ratio: number;
  part: MapPart;
  area: MapArea;
  density: OffscreenCanvas | null;
  colours: Colours;
  line: readonly Point[];
  /** Index of the selected track's point; -1 for none. */
  chosenIndex: number;
  font: string;
}

export function drawMap(behind: HTMLCanvasElement, front: HTMLCanvasElement, scene: Scene): void {
  for (const canvas of [behind, front]) {
    const [width, height] = [Math.round(scene.size.width * scene.ratio), Math.round(scene.size.height * scene.ratio)];
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
  }
  drawDensity(behind.getContext('2d')!, scene);
  const context = front.getContext('2d')!;
  context.setTransform(1, 0, 0, 1, 0, 0);
  drawPoints(context, scene);
  context.setTransform(scene.ratio, 0, 0, scene.ratio, 0, 0);
  drawLabels(context, scene);
  drawChosen(context, scene);
  drawLine(context, scene);
}

function drawDensity(context: CanvasRenderingContext2D, { density, area, view, size, ratio }: Scene): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  if (!density) return;
  const from = toScreen({ x: area.min_x, y: area.min_y }, view, size);
  const to = toScreen({ x: area.max_x, y: area.max_y }, view, size);
  context.imageSmoothingEnabled = true;
  context.drawImage(density, from.x, from.y, to.x - from.x, to.y - from.y);
}

/** One picture per canvas is reused for all frames, since a new one takes ten megabytes. */
const pictures = new WeakMap<HTMLCanvasElement, ImageData>();
function emptyPicture(canvas: HTMLCanvasElement): ImageData {
  const { width, height } = canvas;
  const lastPicture = pictures.get(canvas);
  const picture =
    lastPicture?.width === width && lastPicture.height === height ? lastPicture : new ImageData(width, height);
  if (picture === lastPicture) picture.data.fill(0);
  pictures.set(canvas, picture);
  return picture;
}

function drawPoints(context: CanvasRenderingContext2D, { part, view, size, ratio, colours }: Scene): void {
  const { width, height } = context.canvas;
  const picture = emptyPicture(context.canvas);
  const pixels = new Uint32Array(picture.data.buffer);
  const { x, y, genre } = part.points;
  // points are larger on maps with few tracks
  const side = Math.max(2, Math.round(ratio * (x.length > 20_000 ? 2 : x.length > 4_000 ? 3 : 5)));
  const factor = ratio / view.scale;
  const left = (size.width * ratio) / 2 - view.x * factor - side / 2;
  const top = (size.height * ratio) / 2 - view.y * factor - side / 2;
  for (let i = 0; i < x.length; i += 1) {
    const px = Math.round(x[i]! * factor + left);
    const py = Math.round(y[i]! * factor + top);
    if (px < 0 || py < 0 || px + side > width || py + side > height) continue;
    const colour = colours.genres[genre[i]!] ?? colours.otherGenres;
    // for so few pixels, a call of fill() takes longer
    for (let row = py * width + px, end = row + side * width; row < end; row += width)
      for (let pixel = row; pixel < row + side; pixel += 1) pixels[pixel] = colour;
  }
  context.putImageData(picture, 0, 0);
}

function drawLabels(context: CanvasRenderingContext2D, { part, view, size, colours, font }: Scene): void {
  context.font = font;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = colours.halo;
  context.fillStyle = colours.ink;
  const placedLabels: { x: number; y: number; halfWidth: number; genre: string }[] = [];
  for (const label of part.labels.slice(0, MAX_LABELS)) {
    const position = toScreen(label, view, size);
    const halfWidth = context.measureText(label.genre).width / 2 + 6;
    const isFree = placedLabels.every(
      (placedLabel) =>
        Math.abs(placedLabel.x - position.x) > placedLabel.halfWidth + halfWidth ||
        Math.abs(placedLabel.y - position.y) > 18,
    );
    const isSaid = placedLabels.some(
      (placedLabel) =>
        placedLabel.genre === label.genre &&
        Math.hypot(placedLabel.x - position.x, placedLabel.y - position.y) < SAME_GENRE_PX,
    );
    const isInside =
      position.x > halfWidth && position.x < size.width - halfWidth && position.y > 12 && position.y < size.height - 12;
    if (!isFree || !isInside || isSaid) continue;
    placedLabels.push({ ...position, halfWidth, genre: label.genre });
    context.strokeText(label.genre, position.x, position.y);
    context.fillText(label.genre, position.x, position.y);
  }
}

function drawChosen(context: CanvasRenderingContext2D, { part, chosenIndex, view, size, colours }: Scene): void {
  const [x, y] = [part.points.x[chosenIndex], part.points.y[chosenIndex]];
  if (x === undefined || y === undefined) return;
  const position = toScreen({ x, y }, view, size);
  context.strokeStyle = colours.ink;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(position.x, position.y, 8, 0, 2 * Math.PI);
  context.stroke();
}

function drawLine(context: CanvasRenderingContext2D, { line, view, size, colours }: Scene): void {
  const [start, ...furtherPoints] = line.map((point) => toScreen(point, view, size));
  if (!start) return;
  context.strokeStyle = context.fillStyle = colours.accent;
  context.lineWidth = 3;
  context.lineJoin = context.lineCap = 'round';
  context.beginPath();
  context.moveTo(start.x, start.y);
  for (const point of furtherPoints) context.lineTo(point.x, point.y);
  context.stroke();
  for (const end of [start, furtherPoints.at(-1) ?? start]) {
    context.beginPath();
    context.arc(end.x, end.y, 5, 0, 2 * Math.PI);
    context.fill();
  }
}
