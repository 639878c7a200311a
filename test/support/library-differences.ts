// Compares the result of a reader with what the generator wrote, field by field.
import { isDeepStrictEqual } from 'node:util';
import type { AudioRead } from '../../server/media/types.ts';
import type { ExpectedFile } from './library.ts';

const CODECS: Record<string, string> = { cbr128: 'mp3', vbr: 'mp3', mono48: 'mp3', cd: 'flac', hires: 'flac' };

/** Returns a line for each field that differs. With `partly`, fields that are not in the manifest are allowed. */
export function differences(expected: ExpectedFile, audioRead: AudioRead, partly = false): string[] {
  const lines: string[] = [];
  const { tags, facts, pictures } = audioRead;
  const check = (field: string, actual: unknown, expectedValue: unknown): void => {
    if (partly && expectedValue === undefined) return;
    if (!isDeepStrictEqual(actual, expectedValue))
      lines.push(
        `${field}: ${JSON.stringify(actual)?.slice(0, 200)}, not ${JSON.stringify(expectedValue)?.slice(0, 200)}`,
      );
  };
  const expectedTags = expected.tags ?? {};
  const list = (values: readonly unknown[] | undefined): readonly unknown[] | undefined =>
    values ?? (partly ? undefined : []);
  check('title', tags.title, expectedTags.title);
  check('artists', tags.artists, list(expectedTags.artists));
  check('artist', tags.artist, expectedTags.artist);
  check('albumArtist', tags.albumArtist, expectedTags.albumArtist);
  check(
    'albumArtists',
    tags.albumArtists,
    list(expectedTags.albumArtist === undefined ? undefined : [expectedTags.albumArtist]),
  );
  check('album', tags.album, expectedTags.album);
  check('trackNumber', tags.trackNumber, expectedTags.track);
  check('trackTotal', tags.trackTotal, expectedTags.trackTotal);
  check('discNumber', tags.discNumber, expectedTags.disc);
  check('discTotal', tags.discTotal, expectedTags.discTotal);
  check('year', tags.year, expectedTags.year);
  check('date', tags.date, expectedTags.date);
  check('genres', tags.genres, list(expectedTags.genres));
  check('compilation', tags.compilation, expectedTags.compilation);
  check('recordingMbid', tags.recordingMbid, expectedTags.mb?.recording);
  check('releaseMbid', tags.releaseMbid, expectedTags.mb?.release);
  check('releaseGroupMbid', tags.releaseGroupMbid, expectedTags.mb?.releaseGroup);
  check('artistMbids', tags.artistMbids, expectedTags.mb?.artists);
  check('albumArtistMbids', tags.albumArtistMbids, expectedTags.mb?.albumArtists);
  check('format', facts.format, expected.format);
  check('codec', facts.codec, CODECS[expected.codec] ?? expected.codec);
  check('sampleRateHz', facts.sampleRateHz, expected.rate);
  check('channels', facts.channels, expected.channels);
  check('lossless', facts.lossless, ['cd', 'hires', 'alac', 'pcm'].includes(expected.codec));
  check('bitDepth', facts.bitDepth, { cd: 16, hires: 24, alac: 16, pcm: 16 }[expected.codec]);
  check('pictures', pictures.length, expected.art ? 1 : 0);
  if (expected.art) check('mime', pictures[0]?.mime, expected.art.mime);
  if (expected.art && pictures[0]?.length !== undefined) check('picture bytes', pictures[0].length, expected.art.bytes);
  if (Math.abs(facts.durationMs / 1000 - expected.seconds) > 0.1)
    lines.push(`duration: ${facts.durationMs} ms, not ${expected.seconds} s`);
  return lines;
}
