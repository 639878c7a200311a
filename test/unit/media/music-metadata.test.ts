// Compares our readers with music-metadata. `explainDifference` says why ours is right where the two differ.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseBuffer, type IAudioMetadata } from 'music-metadata';
import { afterAll, expect, it } from 'vitest';
import { bufferSource } from '../../../server/media/byte-source.ts';
import { readWithMusicMetadata } from '../../../server/media/fallback.ts';
import { readAudioSync } from '../../../server/media/read.ts';
import type { AudioRead } from '../../../server/media/types.ts';
import { makeLibrary, pathOf, type ExpectedFile } from '../../support/library.ts';

const temp = fs.mkdtempSync(path.join(os.tmpdir(), 'tonearm-judge-'));
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }));

/** Returns the name of each field with our value and that of music-metadata. */
function listComparedFields(ownResult: AudioRead, { common, format }: IAudioMetadata): [string, unknown, unknown][] {
  const { tags, facts } = ownResult;
  return [
    ['title', tags.title, common.title],
    ['album', tags.album, common.album],
    ['artists', tags.artists, common.artists ?? []],
    ['artist', tags.artist ?? tags.artists[0], common.artist],
    ['albumArtist', tags.albumArtist, common.albumartist],
    ['genres', tags.genres, common.genre ?? []],
    ['year', tags.year, common.year],
    ['track', tags.trackNumber ?? null, common.track.no],
    ['trackTotal', tags.trackTotal ?? null, common.track.of],
    ['disc', tags.discNumber ?? null, common.disk.no],
    ['discTotal', tags.discTotal ?? null, common.disk.of],
    ['compilation', tags.compilation, common.compilation],
    ['recordingMbid', tags.recordingMbid, common.musicbrainz_recordingid],
    ['releaseMbid', tags.releaseMbid, common.musicbrainz_albumid],
    ['releaseGroupMbid', tags.releaseGroupMbid, common.musicbrainz_releasegroupid],
    ['artistMbids', tags.artistMbids, common.musicbrainz_artistid],
    ['trackGain', tags.replayGain?.trackGainDb, common.replaygain_track_gain?.dB],
    ['comment', tags.comment, common.comment?.[0]?.text],
    ['sampleRate', facts.sampleRateHz, format.sampleRate],
    ['channels', facts.channels, format.numberOfChannels],
  ];
}

/** Returns why the readers may differ about a file, or undefined if they may not. */
function explainDifference(file: ExpectedFile): string | undefined {
  if (file.messy === 'nul-padded') return 'it leaves blanks and NULs where they are';
  if (file.messy === 'odd-numbers') return 'it makes numbers and years of what are none, or keeps them as text';
  if (file.messy === 'mojibake') return 'it decodes broken UTF-8 to replacement characters';
  return undefined;
}

it('agrees with music-metadata on every file that both read', async () => {
  const manifest = makeLibrary({ tracks: 240, even: true, messy: 0.3, seed: 'judge' }, path.join(temp, 'judge'));
  const unexplainedDifferences: string[] = [];
  let agreementCount = 0;
  for (const file of manifest.files) {
    if (file.expect === 'error' || file.expect === 'any') continue;
    const bytes = fs.readFileSync(pathOf(manifest, file));
    const ownResult = readAudioSync(bufferSource(bytes)) as AudioRead;
    const otherResult = await parseBuffer(bytes, undefined, { skipCovers: true });
    for (const [field, ownValue, otherValue] of listComparedFields(ownResult, otherResult)) {
      if (isDeepStrictEqual(ownValue, otherValue)) agreementCount++;
      else if (explainDifference(file) === undefined)
        unexplainedDifferences.push(
          `${file.path} ${file.tagVersion ?? file.format}: ${field} ${JSON.stringify(ownValue)}, it says ${JSON.stringify(otherValue)}`,
        );
    }
    const seconds = otherResult.format.duration;
    if (seconds !== undefined && Math.abs(seconds - ownResult.facts.durationMs / 1000) > 0.1)
      unexplainedDifferences.push(`${file.path}: ${ownResult.facts.durationMs} ms, it says ${seconds} s`);
  }
  expect(unexplainedDifferences).toEqual([]);
  expect(agreementCount).toBeGreaterThan(4_000);
});

it('the fallback gives the same tags as our own reader', async () => {
  const manifest = makeLibrary({ tracks: 48, even: true, seed: 'fallback' }, path.join(temp, 'fallback'));
  for (const file of manifest.files) {
    const source = bufferSource(fs.readFileSync(pathOf(manifest, file)));
    const ownResult = readAudioSync(source) as AudioRead;
    const otherResult = await readWithMusicMetadata(source, ownResult.facts.format);
    expect(otherResult.reader).toBe('music-metadata');
    for (const field of [
      'title',
      'artists',
      'album',
      'albumArtist',
      'genres',
      'year',
      'date',
      'trackNumber',
      'discTotal',
      'recordingMbid',
      'artistMbids',
    ] as const) {
      expect(otherResult.tags[field], `${file.path}: ${field}`).toEqual(ownResult.tags[field]);
    }
    expect(otherResult.facts.codec).toBe(ownResult.facts.codec);
  }
});
