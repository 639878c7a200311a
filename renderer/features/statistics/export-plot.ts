// Exports a plot as a file. The CSP forbids blob images, so an SVG cannot be loaded as an image: its shapes are drawn
// on a canvas with their displayed positions and colours.
const SCALE = 2;
const PADDING = 24;
const HEADING = 40;

export function saveFile(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Returns `name` without characters that file names cannot contain. */
export const fileName = (name: string, ending: string): string =>
  `${name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')}.${ending}`;

export async function savePng(svg: SVGSVGElement, title: string): Promise<void> {
  const { width, height } = svg.getBoundingClientRect();
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil((width + 2 * PADDING) * SCALE);
  canvas.height = Math.ceil((height + 2 * PADDING + HEADING) * SCALE);
  const context = canvas.getContext('2d');
  if (!context) return;
  const style = getComputedStyle(document.body);
  context.scale(SCALE, SCALE);
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = style.color;
  context.font = `600 16px ${style.fontFamily}`;
  context.fillText(title, PADDING, PADDING + 16);
  drawSvg(svg, context, new DOMMatrix().scale(SCALE).translate(PADDING, PADDING + HEADING));
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob) saveFile(fileName(title, 'png'), blob);
}

function drawSvg(svg: SVGSVGElement, context: CanvasRenderingContext2D, place: DOMMatrix): void {
  const origin = svg.getScreenCTM()?.inverse();
  if (!origin) return;
  for (const element of svg.querySelectorAll<SVGGraphicsElement>('rect, path, line, circle, text, image')) {
    const style = getComputedStyle(element);
    const matrix = element.getScreenCTM();
    if (!matrix || style.visibility === 'hidden' || style.display === 'none' || element.closest('defs, clipPath'))
      continue;
    context.setTransform(place.multiply(origin).multiply(matrix));
    context.globalAlpha = Number(style.opacity) * Number(style.fillOpacity);
    if (element instanceof SVGTextContentElement) drawText(element, style, context);
    else if (element instanceof SVGImageElement) drawImage(element, context);
    else drawShape(outlineOf(element), style, context);
  }
}

/** Draws a cover; a cover that has not been loaded is omitted. */
function drawImage(image: SVGImageElement, context: CanvasRenderingContext2D): void {
  const { x, y, width, height } = image;
  try {
    context.drawImage(image, x.baseVal.value, y.baseVal.value, width.baseVal.value, height.baseVal.value);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

function outlineOf(element: SVGGraphicsElement): Path2D {
  const path = new Path2D();
  const number = (name: string) => Number.parseFloat(element.getAttribute(name) ?? '0');
  if (element.tagName === 'path') return new Path2D(element.getAttribute('d') ?? '');
  if (element.tagName === 'rect')
    path.roundRect(number('x'), number('y'), Math.max(0, number('width')), Math.max(0, number('height')), number('rx'));
  if (element.tagName === 'circle') path.arc(number('cx'), number('cy'), number('r'), 0, 2 * Math.PI);
  if (element.tagName === 'line') {
    path.moveTo(number('x1'), number('y1'));
    path.lineTo(number('x2'), number('y2'));
  }
  return path;
}

function drawShape(path: Path2D, style: CSSStyleDeclaration, context: CanvasRenderingContext2D): void {
  if (isPaint(style.fill)) {
    context.fillStyle = style.fill;
    context.fill(path);
  }
  if (!isPaint(style.stroke)) return;
  context.strokeStyle = style.stroke;
  context.lineWidth = Number.parseFloat(style.strokeWidth);
  context.setLineDash(
    style.strokeDasharray === 'none'
      ? []
      : style.strokeDasharray.split(/[\s,]+/).map((part) => Number.parseFloat(part)),
  );
  context.stroke(path);
}

/** Draws each run of text at the position of its first glyph, whatever its anchor; the baseline is computed. */
function drawText(element: SVGTextContentElement, style: CSSStyleDeclaration, context: CanvasRenderingContext2D): void {
  const lines = [...element.querySelectorAll('tspan')];
  context.fillStyle = style.fill;
  context.textBaseline = BASELINES[style.dominantBaseline] ?? 'alphabetic';
  context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  for (const line of lines.length > 0 ? lines : [element]) {
    if (line.getNumberOfChars() === 0) continue;
    const { x, y } = line.getStartPositionOfChar(0);
    context.fillText(line.textContent ?? '', x, y);
  }
}

const BASELINES: Record<string, CanvasTextBaseline> = {
  middle: 'middle',
  central: 'middle',
  hanging: 'hanging',
  'text-before-edge': 'top',
};

const isPaint = (paint: string): boolean => paint !== 'none' && !paint.startsWith('url(');
