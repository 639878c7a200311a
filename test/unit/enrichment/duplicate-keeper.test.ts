// Tables of which of several tracks of a recording should be kept, and why.
import { expect, test } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import { chooseKeeper, type Duplicate } from '../../../server/enrichment/duplicate-keeper.ts';

const toMp3 = (id: number, fields: Partial<Duplicate> = {}): Duplicate => ({
  id: id as TrackId,
  availability: 'available',
  format: 'mp3',
  bitDepth: null,
  sampleRateHz: 44_100,
  bitrateKbps: 192,
  playCount: 0,
  sourceId: `${id}.mp3`,
  ...fields,
});
const toFlac = (id: number, fields: Partial<Duplicate> = {}): Duplicate =>
  toMp3(id, { format: 'flac', bitDepth: 16, bitrateKbps: 900, ...fields });

test.each([
  {
    what: 'the clean name before a second copy of the file',
    tracks: [toMp3(1, { sourceId: 'A/I Hold You (1).mp3' }), toMp3(2, { sourceId: 'A/I Hold You.mp3' })],
    id: 2,
    reason: 'name',
  },
  {
    what: 'a number that belongs to the title like any other',
    tracks: [toMp3(1, { sourceId: 'A/Suite (1969).mp3' }), toMp3(2, { sourceId: 'A/Suite.mp3' })],
    id: 1,
    reason: 'first',
  },
  {
    what: 'one with audio before one without',
    tracks: [toFlac(1, { availability: 'missing' }), toMp3(2)],
    id: 2,
    reason: 'available',
  },
  {
    what: 'lossless before any bit rate',
    tracks: [toMp3(1, { bitrateKbps: 1_500 }), toFlac(2, { bitrateKbps: 300 })],
    id: 2,
    reason: 'lossless',
  },
  {
    what: 'a one-bit format is lossless',
    tracks: [toMp3(1), toMp3(2, { format: 'dsf', sampleRateHz: 2_822_400 })],
    id: 2,
    reason: 'lossless',
  },
  {
    what: 'more resolution among lossless ones',
    tracks: [toFlac(1), toFlac(2, { bitDepth: 24, sampleRateHz: 96_000 })],
    id: 2,
    reason: 'resolution',
  },
  {
    what: 'a larger FLAC is not better',
    tracks: [toFlac(1, { bitrateKbps: 800 }), toFlac(2, { bitrateKbps: 1_000 })],
    id: 1,
    reason: 'first',
  },
  { what: 'the higher bit rate', tracks: [toMp3(1), toMp3(2, { bitrateKbps: 320 })], id: 2, reason: 'bitrate' },
  {
    what: 'Opus is better than MP3 at the same bit rate',
    tracks: [toMp3(1, { bitrateKbps: 192 }), toMp3(2, { format: 'opus', bitrateKbps: 160 })],
    id: 2,
    reason: 'bitrate',
  },
  { what: 'the one that was played more', tracks: [toMp3(1), toMp3(2, { playCount: 3 })], id: 2, reason: 'plays' },
  { what: 'the one that was here first', tracks: [toMp3(2), toMp3(1), toMp3(3)], id: 1, reason: 'first' },
  {
    what: 'the reason is the difference from the next best',
    tracks: [toMp3(1, { availability: 'missing' }), toMp3(2), toFlac(3)],
    id: 3,
    reason: 'lossless',
  },
  {
    what: 'unknown facts are ignored',
    tracks: [toMp3(1, { bitrateKbps: null, sampleRateHz: null, format: null }), toMp3(2)],
    id: 2,
    reason: 'bitrate',
  },
])('$what', ({ tracks, id, reason }) => expect(chooseKeeper(tracks)).toEqual({ id, reason }));

test('without tracks there is none', () => expect(chooseKeeper([])).toBeUndefined());
