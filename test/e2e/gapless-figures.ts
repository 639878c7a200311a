// Draws the joins and measures how soon playback starts: node test/e2e/gapless-figures.ts rewrites docs/gapless.svg and
// the tables of docs/gapless.md. Needs ffmpeg and a build.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TONES, writeSineAlbum } from '../support/sine-album.ts';
import { toolOrWarn } from '../support/tools.ts';
import { recordSineAlbum, type SineRecording } from './sine-recording.ts';
import { currentTime, DESK_WINDOW, openStage, type Stage } from './stage.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const PLOT_WIDTH = 720;
const PLOT_HEIGHT = 96;
const AROUND_MS = 12;
const LATENCY_FILES = {
  flac: [],
  mp3: ['-b:a', '256k'],
  ogg: ['-q:a', '6'],
  opus: ['-b:a', '160k'],
  m4a: ['-b:a', '192k', '-movflags', '+faststart'],
  wav: [],
} satisfies Record<string, string[]>;

const ffmpeg = toolOrWarn('ffmpeg', 'figures of gapless playing are');
if (!ffmpeg) throw new Error('ffmpeg is needed');
const stage = await openStage({
  tracks: 2,
  messy: 0,
  addMusic: (dir) => {
    writeSineAlbum(ffmpeg, dir, TONES);
    writeLongTracks(ffmpeg, join(dir, 'long'));
  },
});
try {
  const recording = await recordSineAlbum(stage);
  const firstSounds = await measureFirstSounds(stage);
  writeFileSync(join(docs, 'gapless.svg'), draw(recording));
  const joins = recording.joins.map(
    ({ format, shiftMs, holeMs }) => `| ${format} | ${shiftMs.toFixed(3)} | ${holeMs.toFixed(3)} |`,
  );
  const tables = [
    '| Format | second half late by, ms | no tone for, ms |',
    '|---|---|---|',
    ...joins,
    '',
    `All twelve tracks together differ from their expected length by ${recording.surplusMs.toFixed(3)} ms.`,
    '',
    '| Four minutes of | first sound after, ms | with nothing prepared, ms |',
    '|---|---|---|',
    ...firstSounds.map(({ format, again, first }) => `| ${format} | ${again} | ${first} |`),
  ].join('\n');
  const text = readFileSync(join(docs, 'gapless.md'), 'utf8');
  writeFileSync(join(docs, 'gapless.md'), text.replace(/(<!-- figures -->\n)[\s\S]*(\n<!-- end -->)/, `$1${tables}$2`));
  console.log(tables);
} finally {
  await stage.close();
}

function writeLongTracks(tool: string, dir: string): void {
  mkdirSync(dir, { recursive: true });
  for (const [format, encode] of Object.entries(LATENCY_FILES)) {
    execFileSync(tool, [
      '-v',
      'error',
      '-y',
      '-f',
      'lavfi',
      '-i',
      'anoisesrc=d=240:c=pink:r=44100:a=0.4,aformat=channel_layouts=stereo:sample_fmts=s16',
      ...(format === 'opus' ? ['-c:a', 'libopus'] : []),
      ...encode,
      '-metadata',
      `title=Long ${format}`,
      '-metadata',
      'artist=Long',
      '-metadata',
      `album=Long ${format}`,
      join(dir, `${format}.${format}`),
    ]);
  }
}

/** Measures the time from the click to the first frame, in a new window and in a window that has played before. */
async function measureFirstSounds({
  api,
  openAsOwner,
}: Stage): Promise<{ format: string; first: number; again: number }[]> {
  const { items } = await api<{ items: { id: number; title: string }[] }>('/albums?limit=200');
  const figures = [];
  for (const format of Object.keys(LATENCY_FILES)) {
    const page = await openAsOwner(DESK_WINDOW);
    await page.goto(`/albums/${items.find(({ title }) => title === `Long ${format}`)!.id}`);
    const play = page.getByRole('main').getByRole('button', { name: 'Play', exact: true });
    await play.waitFor();
    await page.waitForLoadState('networkidle');
    const clickToSound = async () => {
      await page.evaluate(() =>
        document.querySelector('main')!.addEventListener(
          'click',
          () => {
            Object.assign(globalThis, { clickedAt: performance.now() });
          },
          { capture: true, once: true },
        ),
      );
      await play.click();
      while ((await currentTime(page)) === 0)
        await page.evaluate(
          () =>
            new Promise((resolve) => {
              setTimeout(resolve, 2);
            }),
        );
      const heardSeconds = await currentTime(page);
      return Math.round(
        await page.evaluate(
          (heardSeconds) =>
            performance.now() - (globalThis as unknown as { clickedAt: number }).clickedAt - heardSeconds * 1000,
          heardSeconds,
        ),
      );
    };
    const firstDelayMs = await clickToSound();
    await page.getByRole('region', { name: 'Player' }).getByRole('button', { name: 'Pause' }).click();
    figures.push({ format, first: firstDelayMs, again: await clickToSound() });
    await page.context().close();
  }
  return figures;
}

function draw({ samples, rate, joins }: SineRecording): string {
  const samplesAround = Math.round((AROUND_MS / 1000) * rate);
  const plots = joins.map(({ format, middleFrame }, i) => {
    const top = i * PLOT_HEIGHT;
    const points = Array.from(
      { length: 2 * samplesAround },
      (_, n) =>
        `${((n / (2 * samplesAround)) * PLOT_WIDTH).toFixed(1)},${(top + PLOT_HEIGHT / 2 - (samples[middleFrame - samplesAround + n] ?? 0) * 64).toFixed(1)}`,
    );
    return `<text x="8" y="${top + 18}">${format}</text><line x1="${PLOT_WIDTH / 2}" x2="${PLOT_WIDTH / 2}" y1="${top + 4}" y2="${top + PLOT_HEIGHT - 4}" class="join"/><polyline points="${points.join(' ')}"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PLOT_WIDTH} ${joins.length * PLOT_HEIGHT + 24}" role="img" aria-label="Twelve milliseconds on either side of six joins: the waves go on unbroken">
<style>text{font:600 13px sans-serif;fill:#5b5854}polyline{fill:none;stroke:#0a72d4;stroke-width:1.25}.join{stroke:#c8431b;stroke-dasharray:3 3}</style>
<rect width="100%" height="100%" fill="#fcfbfa"/>
${plots.join('\n')}
<text x="${PLOT_WIDTH / 2 - 150}" y="${joins.length * PLOT_HEIGHT + 16}">${AROUND_MS} ms before and after the join (dashed)</text>
</svg>
`;
}
