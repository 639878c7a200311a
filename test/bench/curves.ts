// Draws how figures grow with the size of a library, on two logarithmic axes: a figure that grows in proportion to the
// library has a slope of one, and a constant figure is a level line.
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [900, 420, 56, 230, 40, 40];
const CURVE_COLORS = [
  '#0a72d4',
  '#c8431b',
  '#2f8f5b',
  '#8a4fbf',
  '#b8860b',
  '#00808a',
  '#c2408f',
  '#5b5854',
  '#7a9a01',
  '#16335b',
];
/** Minimum distance between the names at the ends of the curves. */
const NAME_HEIGHT = 16;

export interface Curve {
  name: string;
  /** Size of the library and milliseconds of each measurement. */
  points: (readonly [size: number, ms: number])[];
}

export function drawCurves(title: string, curves: Curve[]): string {
  const sizes = [...new Set(curves.flatMap(({ points }) => points.map(([size]) => size)))].toSorted((a, b) => a - b);
  const decades = curves.flatMap(({ points }) => points.map(([, ms]) => Math.log10(ms)));
  const [lowDecade, highDecade] = [Math.floor(Math.min(...decades)), Math.ceil(Math.max(...decades))];
  const [firstDecade, lastDecade] = [Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 10)];
  const x = (size: number): number =>
    LEFT + ((Math.log10(size) - firstDecade) / Math.max(1, lastDecade - firstDecade)) * plotWidth;
  const y = (ms: number): number =>
    TOP + ((highDecade - Math.log10(ms)) / Math.max(1, highDecade - lowDecade)) * plotHeight;
  const [plotWidth, plotHeight] = [WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM];
  const gridLines = Array.from({ length: highDecade - lowDecade + 1 }, (_, n) => 10 ** (lowDecade + n)).map(
    (ms) =>
      `<line x1="${LEFT}" x2="${LEFT + plotWidth}" y1="${coordinate(y(ms))}" y2="${coordinate(y(ms))}"/><text x="${LEFT - 6}" y="${coordinate(y(ms) + 4)}" text-anchor="end">${ms} ms</text>`,
  );
  const sizeLabels = sizes.map(
    (size) =>
      `<line x1="${coordinate(x(size))}" x2="${coordinate(x(size))}" y1="${TOP}" y2="${TOP + plotHeight}"/><text x="${coordinate(x(size))}" y="${TOP + plotHeight + 18}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
  );
  let free = TOP - NAME_HEIGHT;
  const curveElements = curves
    .map((curve, n) => ({
      ...curve,
      color: CURVE_COLORS[n % CURVE_COLORS.length] ?? '',
      end: y(curve.points.at(-1)?.[1] ?? 1),
    }))
    .toSorted((a, b) => a.end - b.end)
    .map(({ name, points, color, end }) => {
      free = Math.max(free + NAME_HEIGHT, end + 4);
      const lastMs = points.at(-1)?.[1] ?? 0;
      return (
        `<polyline stroke="${color}" points="${points.map(([size, ms]) => `${coordinate(x(size))},${coordinate(y(ms))}`).join(' ')}"/>` +
        `<text class="name" style="fill:${color}" x="${LEFT + plotWidth + 10}" y="${coordinate(free)}">${name} ${Number(lastMs.toPrecision(2))}</text>`
      );
    });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<style>text{font:12px sans-serif;fill:#5b5854}.name{font-weight:600}.title{font:600 14px sans-serif}line{stroke:#e4e0da}polyline{fill:none;stroke-width:2}</style>
<rect width="100%" height="100%" fill="#fcfbfa"/>
<text class="title" x="${LEFT}" y="22">${title}</text>
${[...gridLines, ...sizeLabels, ...curveElements].join('\n')}
</svg>
`;
}

const coordinate = (value: number): string => value.toFixed(1);
