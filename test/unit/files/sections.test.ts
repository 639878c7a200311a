// Tables of the tracks that a file has according to its cue sheet, also with faulty sheets.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { splitFile } from '../../../server/files/sections.ts';
import { decodeSheet, parseCueSheet } from '../../../server/media/cue-sheet.ts';
import type { AudioRead, Tags } from '../../../server/media/types.ts';
import { SHEETS } from '../../support/cue-sheets.ts';

const RATE_HZ = 44_100;
const SAMPLES_PER_FRAME = RATE_HZ / 75;
const DURATION_MS = 600_000;

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-sheets-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const toAlbumFile = (tags: Partial<Tags> = {}): AudioRead => ({
  facts: {
    format: 'flac',
    codec: 'flac',
    durationMs: DURATION_MS,
    bitrateKbps: 900,
    sampleRateHz: RATE_HZ,
    bitDepth: 16,
    channels: 2,
    lossless: true,
  },
  tags: { artists: [], albumArtists: [], genres: [], ...tags },
  pictures: [],
  reader: 'own',
});

const VALID_SHEET =
  'TITLE "Record"\nFILE "Album.flac" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 01:00:00';

describe('a sheet beside Album.flac with', () => {
  test.each(SHEETS)(
    '$quirk',
    ({
      quirk,
      sheet,
      sheetName = 'Album.cue',
      otherFiles: neighbors = [],
      trackStarts: begins,
      titles,
      firstFields: firstTags,
      lastFields: lastTags,
    }) => {
      const folder = join(base, quirk.replaceAll('/', ' '));
      mkdirSync(folder);
      writeFileSync(join(folder, sheetName), sheet);
      for (const name of ['Album.flac', ...neighbors]) writeFileSync(join(folder, name), '');
      const { sections, fault } = splitFile('Album.flac', toAlbumFile(), folder);

      if (begins instanceof RegExp) {
        expect(sections).toBeUndefined();
        expect(fault).toMatch(begins);
        expect(fault).toContain(sheetName);
        return;
      }
      expect(fault).toBeUndefined();
      expect(sections?.map(({ start }) => start / SAMPLES_PER_FRAME)).toEqual(begins);
      if (!sections) return;
      // each track ends where the next begins, and the last at the end of the file
      expect(sections.map(({ end }) => end)).toEqual([...sections.slice(1).map(({ start }) => start), null]);
      expect(sections.reduce((sum, { durationMs }) => sum + durationMs, 0)).toBeCloseTo(DURATION_MS, 6);
      if (titles) expect(sections.slice(0, titles.length).map(({ tags }) => tags.title)).toEqual(titles);
      const pickTags = (tags: Tags | undefined, expectedTags: object) =>
        Object.fromEntries(Object.keys(expectedTags).map((name) => [name, tags?.[name as keyof Tags]]));
      if (firstTags) expect(pickTags(sections[0]?.tags, firstTags)).toEqual(firstTags);
      if (lastTags) expect(pickTags(sections.at(-1)?.tags, lastTags)).toEqual(lastTags);
    },
  );
});

test('the tags of the file say what the sheet does not', () => {
  const cueSheet = parseCueSheet('TRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 01:00:00');
  const fileTags = { title: 'Image', artists: ['Band'], album: 'Record', genres: ['Rock'], year: 1994, trackNumber: 7 };
  const { sections } = splitFile('x.ape', toAlbumFile({ ...fileTags, ...(cueSheet && { cueSheet }) }), undefined);
  expect(sections?.map(({ tags }) => tags)).toMatchObject([
    { title: 'Track 1', trackNumber: 1, artists: ['Band'], albumArtists: ['Band'], album: 'Record', year: 1994 },
    { title: 'Track 2', trackNumber: 2, artists: ['Band'], albumArtists: ['Band'], genres: ['Rock'] },
  ]);
});

test('of several sheets the one that names the file wins, and unusable sheets are skipped', () => {
  const folder = join(base, 'several sheets');
  mkdirSync(folder);
  writeFileSync(join(folder, 'Album.flac'), '');
  writeFileSync(join(folder, 'Album.cue'), VALID_SHEET.replace('INDEX 01 01:00:00', 'INDEX 01 99:00:00'));
  writeFileSync(join(folder, 'Album (2).cue'), VALID_SHEET.replace('Record', 'Second'));
  const { sections, fault } = splitFile('Album.flac', toAlbumFile(), folder);
  expect([sections?.[0]?.tags.album, fault]).toEqual(['Second', undefined]);
});

test('an unusable sheet inside the file is reported, and a sheet beside the file is used', () => {
  const cueSheet = parseCueSheet(VALID_SHEET.replace('01:00:00', '99:00:00'));
  const readAlbum = (): AudioRead => toAlbumFile(cueSheet && { cueSheet });
  expect(splitFile('Album.flac', readAlbum(), undefined).fault).toMatch(
    /^the cue sheet in the file is not used: track 2/,
  );
  const folder = join(base, 'beside and inside');
  mkdirSync(folder);
  writeFileSync(join(folder, 'Album.cue'), VALID_SHEET);
  expect(splitFile('Album.flac', readAlbum(), folder).sections).toHaveLength(2);
});

describe('a sheet that is one long line', () => {
  const blanks = ' '.repeat(500_000);
  test.each([
    ['a command', `TITLE a${blanks}b`],
    ['a command with separators of lines', `TITLE${blanks}a${blanks}\u2028b`],
    ['a remark', `REM A${blanks}b${blanks}\u2028c`],
    ['a file', `FILE a${blanks}b`],
  ])('with %s is read in one pass', (_, line) => {
    expect(parseCueSheet(`${VALID_SHEET}\n${line}`)?.tracks).toHaveLength(2);
  });
  test('in an unknown charset is read in one pass', () => {
    const lines = [`TITLE \xe9${blanks}b`, `X${blanks}b`, `X${'\xa0'.repeat(100_000)}b`];
    const text = decodeSheet(Buffer.from([VALID_SHEET, ...lines].join('\n'), 'latin1'));
    expect(parseCueSheet(text)?.tracks).toHaveLength(2);
  });
});

test('only some of thousands of remarks are kept, since each track gets a copy of them', () => {
  const fields = parseCueSheet(`${'REM GENRE Rock\n'.repeat(60_000)}${VALID_SHEET}`)?.fields ?? [];
  expect(fields.length).toBeLessThan(1_000);
});

test('a sheet in the file of a single track, of the whole disc, does not cut the file', () => {
  const sheet = parseCueSheet(VALID_SHEET);
  const isCut = (endSeconds: number): boolean => {
    const cueSheet = sheet && { ...sheet, endUnits: endSeconds * sheet.unitsPerSecond };
    return splitFile('Album.flac', toAlbumFile({ ...(cueSheet && { cueSheet }) }), undefined).sections !== undefined;
  };
  expect([isCut(DURATION_MS / 1_000), isCut(DURATION_MS / 1_000 + 1), isCut(3_600)]).toEqual([true, true, false]);
});
