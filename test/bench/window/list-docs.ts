// Writes the results of the suites `lists`, `opening` and `interaction` as tables into docs/lists.md, and a picture of
// the traces into docs/lists.svg.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../product.ts';
import type { InteractionFigures } from '../suites/interaction.ts';
import type { ListFigures } from '../suites/lists.ts';
import type { OpeningFigures } from '../suites/opening.ts';
import type { ListTrace } from './list-probe.ts';

const docs = join(root, 'docs');
const CHART_WIDTH = 720;
const STRIP_HEIGHT = 56;
const NAME_HEIGHT = 20;

const rows = (head: string[], body: (string | number)[][]): string =>
  [head, head.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n');
const round = (value: number): string => Math.round(value).toLocaleString('en');

function replaceBetween(mark: string, text: string): void {
  const path = join(docs, 'lists.md');
  const page = readFileSync(path, 'utf8');
  const section = new RegExp(`(<!-- ${mark} -->\\n)[\\s\\S]*(<!-- end of ${mark} -->)`);
  if (!section.test(page)) throw new Error(`docs/lists.md has no place for ${mark}.`);
  writeFileSync(
    path,
    page.replace(section, (_, begin: string, end: string) => `${begin}${text}\n${end}`),
  );
}

export function writeListDocs(figures: ListFigures[]): void {
  const ways = figures.flatMap(({ list, scrolls }) =>
    scrolls.map(({ name, trace }) => [
      list,
      name,
      round(trace.longestBlankMs),
      round(trace.longestUneaseMs),
      round(trace.longestFrameMs),
      Math.max(...trace.frames.map(({ inDocument }) => inDocument)),
      trace.answers.count,
      `${round(trace.answers.medianMs)} / ${round(trace.answers.longestMs)}`,
    ]),
  );
  const memory = figures.map(({ list, memory }) => [
    list,
    round(memory.heapMb),
    round(memory.processMb),
    round(memory.keptMb),
  ]);
  replaceBetween(
    'lists',
    [
      rows(
        [
          'List',
          'way',
          'one row blank for at most, ms',
          'anything blank for at most, ms',
          'longest frame, ms',
          'most in the document',
          'pages fetched',
          'median / longest answer, ms',
        ],
        ways,
      ),
      '',
      rows(
        ['List', 'script heap at most, MB', 'memory of the process at most, MB', 'the same, garbage collected, MB'],
        memory,
      ),
    ].join('\n'),
  );
  writeFileSync(join(docs, 'lists.svg'), draw(figures));
}

export function writeOpeningDocs(figures: OpeningFigures[]): void {
  replaceBetween(
    'opening',
    rows(
      [
        'Page',
        'first paint, ms',
        'all in sight, ms',
        'interactive, ms',
        'at worst, ms',
        'script blocked for, ms',
        'requests',
        'KB',
      ],
      figures.map(({ path, median: m, worstMs }) => [
        `\`${path}\``,
        ...[m.firstPaintMs, m.inSightMs, m.interactiveMs, worstMs, m.blockedMs, m.requests, m.sentKb].map(round),
      ]),
    ),
  );
}

export function writeInteractionDocs(figures: InteractionFigures[]): void {
  replaceBetween(
    'interaction',
    rows(
      ['Where', 'interactions', 'median, ms', '95 of 100 within, ms', 'at worst, ms', 'layout shift'],
      figures.map(({ name, count, medianMs, p95Ms, worstMs, shift }) => [
        name,
        ...[count, medianMs, p95Ms, worstMs].map(round),
        shift.toFixed(4),
      ]),
    ),
  );
}

/** Draws one strip per way of scrolling: the line is the position in the list, the bars are visible blank rows. */
function draw(figures: ListFigures[]): string {
  const strips = figures.flatMap(({ list, scrolls }) =>
    scrolls.map(({ name, trace }) => ({ name: `${list}: ${name}`, trace })),
  );
  const stripElements = strips.map(
    ({ name, trace }, i) =>
      `<g transform="translate(0 ${i * (STRIP_HEIGHT + NAME_HEIGHT + 12)})"><text x="0" y="14">${name}, ${(lengthOf(trace) / 1000).toFixed(1)} s</text>${strip(trace)}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -4 ${CHART_WIDTH + 16} ${strips.length * (STRIP_HEIGHT + NAME_HEIGHT + 12) + 8}" role="img" aria-label="Place in the list and blank rows in sight over time, for each way of scrolling">
<style>text{font:600 13px sans-serif;fill:#5b5854}polyline{fill:none;stroke:#0a72d4;stroke-width:1.25}.blank{fill:#c8431b}.ground{fill:#f1efec}</style>
<rect x="-8" y="-4" width="100%" height="100%" fill="#fcfbfa"/>
${stripElements.join('\n')}
</svg>
`;
}

const lengthOf = ({ frames }: ListTrace): number => Math.max(1, frames.at(-1)?.timeMs ?? 0);

function strip(trace: ListTrace): string {
  const { frames } = trace;
  const x = (timeMs: number): number => (timeMs / lengthOf(trace)) * CHART_WIDTH;
  const furthest = Math.max(1, ...frames.map(({ firstVisible }) => firstVisible));
  const mostBlank = Math.max(1, ...frames.map(({ blank }) => blank));
  const bars = frames.flatMap(({ timeMs, blank }, n) => {
    const height = (blank / mostBlank) * STRIP_HEIGHT;
    return blank === 0
      ? []
      : [
          `<rect class="blank" x="${x(timeMs).toFixed(1)}" y="${(NAME_HEIGHT + STRIP_HEIGHT - height).toFixed(1)}" width="${Math.max(0.5, x(frames[n + 1]?.timeMs ?? timeMs) - x(timeMs)).toFixed(1)}" height="${height.toFixed(1)}"/>`,
        ];
  });
  const line = frames
    .filter((_, n) => n % 3 === 0)
    .map(
      ({ timeMs, firstVisible }) =>
        `${x(timeMs).toFixed(1)},${(NAME_HEIGHT + STRIP_HEIGHT - (firstVisible / furthest) * STRIP_HEIGHT).toFixed(1)}`,
    );
  return `<rect class="ground" y="${NAME_HEIGHT}" width="${CHART_WIDTH}" height="${STRIP_HEIGHT}"/>${bars.join('')}<polyline points="${line.join(' ')}"/>`;
}
