// Tests how lines in playlist files of other programs are parsed.
import { describe, expect, test } from 'vitest';
import { MAX_FILE_ENTRIES, type PlaylistFile } from '../../../server/playlists/file-entry.ts';
import { parsePlaylistFile } from '../../../server/playlists/playlist-file.ts';
import { seededRandom } from '../../support/test-random.ts';

function parse(bytes: Uint8Array): PlaylistFile {
  const steps = parsePlaylistFile(bytes);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0));
const utf16 = (text: string, { mark: hasMark = true, big: isBigEndian = false } = {}): Uint8Array => {
  const bytes = Buffer.from(`${hasMark ? '\ufeff' : ''}${text}`, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
};
const lines = (file: PlaylistFile) =>
  file.entries.map(({ line, location, artist, title, album, durationMs }) => [
    line,
    location,
    artist,
    title,
    album,
    durationMs,
  ]);

const FILE_SHAPES: [string, Uint8Array, unknown[], string?][] = [
  [
    'a bare list of paths',
    utf8('Quays/Harbour/01 Tide.mp3\nQuays/Harbour/02 Ebb.mp3\n'),
    [
      [1, 'Quays/Harbour/01 Tide.mp3'],
      [2, 'Quays/Harbour/02 Ebb.mp3'],
    ],
  ],
  [
    'extended M3U from Winamp: CRLF, backslashes, a drive',
    utf8('#EXTM3U\r\n#EXTINF:123,Quays - Tide\r\nD:\\Music\\Quays\\01 Tide.mp3\r\n'),
    [[3, 'D:\\Music\\Quays\\01 Tide.mp3', 'Quays', 'Tide', undefined, 123_000]],
  ],
  [
    'M3U8 with a byte order mark',
    utf8('\ufeff#EXTM3U\n#EXTINF:5,Björk – Jóga\nBjörk/Jóga.flac'),
    [[3, 'Björk/Jóga.flac', 'Björk', 'Jóga', undefined, 5_000]],
  ],
  [
    'an old M3U in Latin-1',
    latin1('#EXTM3U\n#EXTINF:5,Die Ärzte - Süßer\nÄrzte/Süßer.mp3'),
    [[3, 'Ärzte/Süßer.mp3', 'Die Ärzte', 'Süßer', undefined, 5_000]],
  ],
  [
    'UTF-16 with a mark, as Windows Media Player writes',
    utf16('#EXTM3U\r\n#EXTINF:7,Ω - 東京\r\nΩ\\東京.wma\r\n'),
    [[3, 'Ω\\東京.wma', 'Ω', '東京', undefined, 7_000]],
  ],
  ['UTF-16, high byte first', utf16('#EXTM3U\nQuays/Tide.mp3', { big: true }), [[2, 'Quays/Tide.mp3']]],
  ['UTF-16 without a mark', utf16('#EXTM3U\nQuays/Tide.mp3', { mark: false }), [[2, 'Quays/Tide.mp3']]],
  [
    'file: addresses from VLC',
    utf8('#EXTM3U\n#EXTINF:12,Tide\nfile:///home/ann/Music/Quays/01%20Tide.mp3'),
    [[3, 'file:///home/ann/Music/Quays/01%20Tide.mp3', undefined, 'Tide', undefined, 12_000]],
  ],
  [
    'comments, blank lines and tags of other kinds',
    utf8(
      '#EXTM3U\n#PLAYLIST:Mornings\n# made by hand\n\n#EXTGRP:x\n#EXTALB:Harbour\n#EXTART:Quays\n#EXTINF:-1,Tide\n\n  Tide.mp3  \n#EXTVLCOPT:x=y\n',
    ),
    [[10, 'Tide.mp3', 'Quays', 'Tide', 'Harbour', undefined]],
    'Mornings',
  ],
  [
    'Mac line ends',
    utf8('#EXTM3U\r#EXTINF:1,A - B\rA/B.mp3\rC.mp3'),
    [
      [3, 'A/B.mp3', 'A', 'B', undefined, 1_000],
      [4, 'C.mp3'],
    ],
  ],
  [
    'a length with decimals, attributes and commas in the title',
    utf8('#EXTINF:61.5 tvg-id="a,b" group="x",Earth, Wind & Fire - September, live\nx.mp3'),
    [[2, 'x.mp3', 'Earth, Wind & Fire', 'September, live', undefined, 61_500]],
  ],
  [
    'a title with a hyphen and no artist',
    utf8('#EXTINF:9,Self-Portrait\nx.mp3\n#EXTINF:9,A - B - C\ny.mp3'),
    [
      [2, 'x.mp3', undefined, 'Self-Portrait', undefined, 9_000],
      [4, 'y.mp3', 'A', 'B - C', undefined, 9_000],
    ],
  ],
  [
    'radio streams between files',
    utf8('#EXTINF:-1,Some Radio\nhttp://radio.example/stream\nTide.mp3'),
    [
      [2, 'http://radio.example/stream', undefined, 'Some Radio'],
      [3, 'Tide.mp3'],
    ],
  ],
  [
    'an EXTINF that belongs to nothing',
    utf8('#EXTINF:5,A - B\n#EXTINF:6,C - D\nx.mp3\n#EXTINF:7,E - F'),
    [[3, 'x.mp3', 'C', 'D', undefined, 6_000]],
  ],
  [
    'PLS with numbers out of order',
    utf8(
      '[playlist]\r\nNumberOfEntries=2\r\nFile2=b.mp3\r\nTitle1=Quays - Tide\r\nFile1=a.mp3\r\nLength1=61\r\nVersion=2',
    ),
    [
      [5, 'a.mp3', 'Quays', 'Tide', undefined, 61_000],
      [3, 'b.mp3'],
    ],
  ],
  [
    'XSPF with entities',
    utf8(
      '<?xml version="1.0"?>\n<playlist version="1" xmlns="http://xspf.org/ns/0/">\n<title>M &amp; M</title>\n<trackList>\n<track><location>file:///m/a%20b.mp3</location><creator>A &amp; B</creator><title>&#x41;&lt;x&gt;</title><album>L</album><duration>1500</duration></track>\n<track>\n<title>Only a name</title></track></trackList></playlist>',
    ),
    [
      [5, 'file:///m/a%20b.mp3', 'A & B', 'A<x>', 'L', 1_500],
      [6, '', undefined, 'Only a name'],
    ],
    'M & M',
  ],
];

test.each(FILE_SHAPES)('%s', (_, bytes, expected, name) => {
  const file = parse(bytes);
  expect(lines(file)).toEqual(expected.map((entry) => Array.from({ length: 6 }, (_, n) => (entry as unknown[])[n])));
  expect(file.name).toBe(name);
});

describe('files that are not playlists', () => {
  test.each([
    ['nothing', new Uint8Array()],
    ['a mark alone', utf8('\ufeff')],
    ['comments alone', utf8('#EXTM3U\n# x\n\n')],
    ['XSPF without tracks', utf8('<?xml version="1.0"?><playlist></playlist>')],
    ['PLS without files', utf8('[playlist]\nTitle1=x')],
  ])('%s has no entries', (_, bytes) => {
    expect(parse(bytes).entries).toEqual([]);
  });

  test('random bytes are ordinary lines', () => {
    const random = seededRandom(3);
    for (let n = 0; n < 200; n++) {
      const head =
        ['', '#EXTM3U\n#EXTINF:', '[playlist]\nFile1=', '<?xml <playlist><track><location>', '#EXTINF:1,'][n % 5] ?? '';
      const bytes = Buffer.concat([
        Buffer.from(head),
        Buffer.from(Uint8Array.from({ length: 400 }, () => Math.floor(random() * 256))),
      ]);
      for (const { location, title } of parse(bytes).entries)
        expect([location.isWellFormed(), (title ?? '').isWellFormed(), location.includes('\0')]).toEqual([
          true,
          true,
          false,
        ]);
    }
  });

  test('too many lines are rejected', () => {
    for (const text of [
      'x\n'.repeat(200_000),
      `[playlist]\n${Array.from({ length: 60_000 }, (_, n) => `File${n}=x`).join('\n')}`,
      `<playlist>${'<track><title>x</title></track>'.repeat(60_000)}`,
    ]) {
      expect(parse(utf8(text)).entries).toHaveLength(MAX_FILE_ENTRIES + 1);
    }
  });

  test('a line without end is rejected quickly', () => {
    for (const text of [
      `#EXTINF:1${' a="b"'.repeat(300_000)}`,
      `#EXTINF:1,${' '.repeat(2_000_000)}- x\ny.mp3`,
      `#EXTINF:${'1'.repeat(1_000_000)}`,
      '<playlist>'.repeat(200_000),
      `<playlist><track>${'<'.repeat(1_000_000)}`,
      `<playlist>${'<track>'.repeat(300_000)}`,
    ]) {
      expect(() => {
        expect(parse(utf8(text)).entries).toEqual([]);
        throw new Error('has no tracks');
      }).toThrow(/^Line \d: .* has more than 65536 characters|has no tracks/);
    }
  });
});
