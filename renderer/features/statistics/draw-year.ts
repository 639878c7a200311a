// Draws the year's picture: covers over their own blurred colours, the numbers, and the top names.
export const YEAR_SIZE = { width: 1080, height: 1350 };

export interface YearFacts {
  year: string;
  heading: string;
  minutes: string;
  minutesLabel: string;
  numbers: (readonly [value: string, label: string])[];
  lists: { title: string; names: string[] }[];
  covers: string[];
  by: string;
}

const MARGIN = 72;
const GAP = 16;
const INK = '#ffffff';
const MUTED_INK = 'rgb(255 255 255 / 72%)';
const BACKGROUND = '#131314';
const SHADE = 'rgb(10 10 12 / 58%)';
const RADIUS = 16;

/** Stops early if the facts have changed in the meantime. */
export async function drawYear(
  canvas: HTMLCanvasElement | null,
  facts: YearFacts,
  isCurrent: () => boolean,
): Promise<void> {
  const context = canvas?.getContext('2d');
  if (!context) return;
  const [covers] = await Promise.all([
    Promise.all(facts.covers.map(load)).then((images) => images.filter((image) => image !== null)),
    document.fonts.ready,
  ]);
  if (!isCurrent()) return;
  const { width, height } = YEAR_SIZE;
  const isRtl = document.documentElement.dir === 'rtl';
  const family = getComputedStyle(document.body).fontFamily;
  context.reset();
  context.direction = isRtl ? 'rtl' : 'ltr';
  context.textBaseline = 'alphabetic';

  const across = (x: number, elementWidth = 0): number => (isRtl ? width - x - elementWidth : x);
  const text = (
    words: string,
    x: number,
    y: number,
    size: number,
    { bold = false, soft = false, most = width } = {},
  ) => {
    context.font = `${bold ? 600 : 400} ${size}px ${family}`;
    context.fillStyle = soft ? MUTED_INK : INK;
    context.textAlign = 'start';
    context.fillText(fitted(context, words, most), across(x), y);
  };

  context.fillStyle = BACKGROUND;
  context.fillRect(0, 0, width, height);
  if (covers[0]) {
    context.save();
    context.filter = 'blur(72px) saturate(1.4)';
    context.drawImage(covers[0], -160, -160, width + 320, height + 320);
    context.restore();
    context.fillStyle = SHADE;
    context.fillRect(0, 0, width, height);
  }

  text(facts.heading, MARGIN, 118, 34, { soft: true });
  text(facts.year, MARGIN - 8, 268, 168, { bold: true });

  // one large cover, and up to four beside it
  const inner = width - 2 * MARGIN;
  const large = covers.length >= 5 ? (inner - GAP) / 2 : 460;
  const small = (large - GAP) / 2;
  const top = 322;
  const place = (image: HTMLImageElement, x: number, y: number, size: number) => {
    context.save();
    context.beginPath();
    context.roundRect(across(x, size), y, size, size, RADIUS);
    context.clip();
    const side = Math.min(image.naturalWidth, image.naturalHeight);
    const [left, above] = [(image.naturalWidth - side) / 2, (image.naturalHeight - side) / 2];
    context.drawImage(image, left, above, side, side, across(x, size), y, size, size);
    context.restore();
  };
  const [firstCover, ...otherCovers] = covers;
  if (firstCover) place(firstCover, MARGIN, top, large);
  if (covers.length >= 5)
    for (const [i, image] of otherCovers.entries())
      place(image, MARGIN + large + GAP + (i % 2) * (small + GAP), top + Math.floor(i / 2) * (small + GAP), small);

  const textTop = (firstCover ? top + large : top) + 96;
  text(facts.minutes, MARGIN, textTop, 84, { bold: true, most: inner / 2 - GAP });
  text(facts.minutesLabel, MARGIN, textTop + 42, 28, { soft: true, most: inner / 2 - GAP });
  const share = inner / 2 / facts.numbers.length;
  for (const [i, [value, label]] of facts.numbers.entries()) {
    const x = MARGIN + inner / 2 + i * share;
    text(value, x, textTop, 44, { bold: true, most: share - GAP });
    text(label, x, textTop + 42, 22, { soft: true, most: share - GAP });
  }

  const column = inner / facts.lists.length;
  for (const [i, { title, names }] of facts.lists.entries()) {
    const x = MARGIN + i * column;
    text(title, x, textTop + 134, 26, { soft: true, most: column - GAP });
    for (const [row, name] of names.entries()) {
      const y = textTop + 184 + row * 46;
      text(String(row + 1), x, y, 30, { soft: true });
      text(name, x + 44, y, 30, { bold: row === 0, most: column - 44 - GAP });
    }
  }
  text(facts.by, MARGIN, height - 40, 24, { soft: true });
}

/** Resolves to null if the image cannot be loaded. */
async function load(src: string): Promise<HTMLImageElement | null> {
  const image = new Image();
  image.src = src;
  return image.decode().then(
    () => image,
    () => null,
  );
}

function fitted(context: CanvasRenderingContext2D, words: string, maxWidth: number): string {
  if (context.measureText(words).width <= maxWidth) return words;
  const letters = [...words];
  while (letters.length > 1 && context.measureText(`${letters.join('')}…`).width > maxWidth) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}
