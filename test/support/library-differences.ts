// Compares the result of a reader with what the generator wrote, field by field.
import { isDeepStrictEqual } from 'node:util';
import type { AudioRead } from '../../server/media/types.ts';
import type { ExpectedFile } from './library.ts';

const CODECS: Record<string, string> = { cbr128: 'mp3', vbr: 'mp3', mono48: 'mp3', cd: 'flac', hires: 'flac' };

/** One line for each field that differs. With `partly`, fields that are not in the manifest are allowed. */
export function differences(expected: ExpectedFile, read: AudioRead, partly = false): string[] {
  const found: string[] = [];
  const { tags, facts, pictures } = read;
  const check = (what: string, actual: unknown, wanted: unknown): void => {
    if (partly && wanted === undefined) return;
    if (!isDeepStrictEqual(actual, wanted))
      found.push(`${what}: ${JSON.stringify(actual)?.slice(0, 200)}, not ${JSON.stringify(wanted)?.slice(0, 200)}`);
  };
  const wanted = expected.tags ?? {};
  const list = (values: readonly unknown[] | undefined): readonly unknown[] | undefined =>
    values ?? (partly ? undefined : []);
  check('title', tags.title, wanted.title);
  check('artists', tags.artists, list(wanted.artists));
  check('artist', tags.artist, wanted.artist);
  check('albumArtist', tags.albumArtist, wanted.albumArtist);
  check('albumArtists', tags.albumArtists, list(wanted.albumArtist === undefined ? undefined : [wanted.albumArtist]));
  check('album', tags.album, wanted.album);
  check('trackNumber', tags.trackNumber, wanted.track);
  check('trackTotal', tags.trackTotal, wanted.trackTotal);
  check('discNumber', tags.discNumber, wanted.disc);
  check('discTotal', tags.discTotal, wanted.discTotal);
  check('year', tags.year, wanted.year);
  check('date', tags.date, wanted.date);
  check('genres', tags.genres, list(wanted.genres));
  check('compilation', tags.compilation, wanted.compilation);
  check('recordingMbid', tags.recordingMbid, wanted.mb?.recording);
  check('releaseMbid', tags.releaseMbid, wanted.mb?.release);
  check('releaseGroupMbid', tags.releaseGroupMbid, wanted.mb?.releaseGroup);
  check('artistMbids', tags.artistMbids, wanted.mb?.artists);
  check('albumArtistMbids', tags.albumArtistMbids, wanted.mb?.albumArtists);
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
    found.push(`duration: ${facts.durationMs} ms, not ${expected.seconds} s`);
  return found;
}
