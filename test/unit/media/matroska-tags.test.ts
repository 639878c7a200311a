// Tags of Matroska files, which say whether they are about the album or the track, or do not say it.
import { expect, test } from 'vitest';
import { matroskaTags } from '../../../server/media/formats/matroska-tags.ts';

const element = (id: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(id);
  head.writeUInt32BE(0x10000000 + body.length, 4);
  return Buffer.concat([head.subarray(head.findIndex((byte) => byte !== 0)), body]);
};

const target = (level: number): Buffer => element(0x63c0, element(0x68ca, Buffer.from([level])));
const tag = (targets: Buffer, values: Record<string, string>): Buffer =>
  element(
    0x7373,
    targets,
    ...Object.entries(values).map(([name, text]) =>
      element(0x67c8, element(0x45a3, Buffer.from(name)), element(0x4487, Buffer.from(text))),
    ),
  );
const noTarget = element(0x63c0);
const trackOfFile = element(0x63c0, element(0x63c5, Buffer.from([1])));

const ALBUM = { TITLE: 'The Album', ARTIST: 'Album Artist', DATE_RELEASED: '1999-03-02', PART_NUMBER: '2' };
const TRACK = { TITLE: 'The Track', ARTIST: 'Artist', PART_NUMBER: '7', COMPOSER: 'Composer' };
const BOTH = {
  album: 'The Album',
  albumArtist: 'Album Artist',
  year: 1999,
  date: '1999-03-02',
  discNumber: 2,
  title: 'The Track',
  artists: ['Artist'],
  trackNumber: 7,
  composer: ['Composer'],
};

test.each([
  ['both say what they are about', [tag(target(50), ALBUM), tag(target(30), TRACK)]],
  ['the tag of the album does not say it', [tag(noTarget, ALBUM), tag(target(30), TRACK)]],
  ['the tag of the album comes last', [tag(target(30), TRACK), tag(noTarget, ALBUM)]],
])('album and track are told apart: %s', (_, tags) => {
  expect(matroskaTags(Buffer.concat(tags))).toMatchObject(BOTH);
});

test('a tag without a target is about the track if no other tag is', () => {
  const tags = [tag(noTarget, { TITLE: 'The Track', ALBUM: 'The Album' }), tag(trackOfFile, { ENCODER: 'Lavc' })];
  expect(matroskaTags(Buffer.concat(tags))).toMatchObject({ title: 'The Track', album: 'The Album' });
});

test('damaged tags are read up to the damage', () => {
  const bytes = Buffer.concat([tag(target(30), TRACK), tag(target(50), ALBUM)]);
  for (let length = 0; length < bytes.length; length++) matroskaTags(bytes.subarray(0, length));
  expect(matroskaTags(bytes.subarray(0, bytes.length - 3)).title).toBe('The Track');
  expect(matroskaTags(Buffer.alloc(64, 0xff))).toMatchObject({ artists: [] });
});
