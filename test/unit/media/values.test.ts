import { describe, expect, it } from 'vitest';
import {
  parseBpm,
  parseDate,
  parseGainDb,
  parsePeak,
  parsePositionOf,
  parseR128Db,
  parseUuids,
  parseVinylPosition,
} from '../../../server/media/field-values.ts';
import { parseId3Genre } from '../../../server/media/genres.ts';
import { parseLyrics } from '../../../server/media/lrc.ts';
import { decodeUtf8, trimmed } from '../../../server/media/text.ts';
import { decodeAlone, keepBytes } from '../../../server/media/unmarked-text.ts';
import { parseSmoothPlayback } from '../../../server/media/formats/mp4-ilst.ts';

describe('track and disc numbers', () => {
  it.each([
    ['3', 3, undefined],
    ['03', 3, undefined],
    ['disc 1 of 2', 1, 2],
    ['CD 2', 2, undefined],
    ['3 of 12', 3, 12],
    ['2 von 3', 2, 3],
    ['Disc One', undefined, undefined],
    ['3/12', 3, 12],
    [' 3 / 12 ', 3, 12],
    ['3/', 3, undefined],
    ['/12', undefined, 12],
    ['0/0', undefined, undefined],
    ['0', undefined, undefined],
    ['A1', undefined, undefined],
    ['-1', undefined, undefined],
    ['1.5', undefined, undefined],
    ['٣', undefined, undefined],
    ['12345678901234567890', undefined, undefined],
    ['', undefined, undefined],
    ['10000', undefined, undefined],
  ])('%j is %j of %j', (text, number, total) => {
    expect(parsePositionOf(text)).toEqual({ number, total });
  });
});

describe('numbers on records', () => {
  it.each([
    ['A1', 'A', 1],
    ['a10', 'A', 10],
    ['B 2', 'B', 2],
    ['D-1', 'D', 1],
    ['C', 'C', 1],
  ])('%j is on side %s the number %i', (text, expectedSide, number) => {
    expect(parseVinylPosition(text)).toEqual({ side: expectedSide, number });
  });
  it.each(['1', 'I', 'V', 'AA1', 'A0', 'A100', 'A1b', 'Ä1', ''])('%j is not a position on a record', (text) => {
    expect(parseVinylPosition(text)).toBeUndefined();
  });
});

describe('dates', () => {
  it.each([
    ['2003', { year: 2003 }],
    ['2003-05', { year: 2003, date: '2003-05' }],
    ['2003-05-12', { year: 2003, date: '2003-05-12' }],
    ['2003-5-2', { year: 2003, date: '2003-05-02' }],
    ['2003-05-12T10:00:00Z', { year: 2003, date: '2003-05-12' }],
    ['2003-05-12 10:00', { year: 2003, date: '2003-05-12' }],
    ['2003/05/12', { year: 2003, date: '2003-05-12' }],
    ['20030512', { year: 2003, date: '2003-05-12' }],
    ['12.05.2003', { year: 2003 }],
    ['05/2003', { year: 2003 }],
    ['1999-00-00', { year: 1999 }],
    ['2003-13', { year: 2003 }],
    ['2003-02-30', { year: 2003, date: '2003-02' }],
    ['2004-02-29', { year: 2004, date: '2004-02-29' }],
    ['2003;2004', { year: 2003 }],
    ['19xx', undefined],
    ['0000', undefined],
    ['99999', undefined],
    ['circa 1970', { year: 1970 }],
    ['Oct 3, 1995', { year: 1995, date: '1995-10-03' }],
    ['3. Oktober 1995', { year: 1995, date: '1995-10-03' }],
    ['Tue Oct 03 12:00:00 1995', { year: 1995, date: '1995-10-03' }],
    ['décembre 1995', { year: 1995, date: '1995-12' }],
    ['3 октября 1995 г.', { year: 1995, date: '1995-10-03' }],
    ['1995年10月3日', { year: 1995, date: '1995-10-03' }],
    ['1995:10:03', { year: 1995, date: '1995-10-03' }],
    ['May 1995 to May 1996', undefined],
    ['', undefined],
    ['12345678901234567890', undefined],
  ])('%j is %j', (text, expected) => {
    expect(parseDate(text)).toEqual(expected);
  });
});

describe('years that are uncertain or marked', () => {
  it.each(['c. 1985', 'ca 1985', 'circa 1985', '~1985', '[1985]', '1985?', '℗ 1985', '(P)1985', '© 1985'])(
    '%j is 1985',
    (text) => expect(parseDate(text)).toEqual({ year: 1985 }),
  );
  it.each(['c1985x', 'abc 1985 def 2', 'c. 19', '(P)'])('%j is no year', (text) =>
    expect(parseDate(text)).toBe(undefined),
  );
});

describe('ID3 genres', () => {
  it.each([
    ['Rock', ['Rock']],
    ['17', ['Rock']],
    ['(17)', ['Rock']],
    ['(17)Rock', ['Rock']],
    ['(17)(8)', ['Rock', 'Jazz']],
    ['(4)Eurodisco', ['Disco', 'Eurodisco']],
    ['((Rock)', ['(Rock)']],
    ['(RX)(CR)', ['Remix', 'Cover']],
    ['(Live) Rock', ['(Live) Rock']],
    ['(255)', []],
    ['255', []],
    ['()', []],
    ['1970', ['1970']],
    ['80', ['Folk']],
  ])('%j is %j', (text, expected) => {
    expect(parseId3Genre(text)).toEqual(expected);
  });
});

describe('gains, peaks and beats', () => {
  it.each([
    ['-6.30 dB', -6.3],
    ['+2.5', 2.5],
    ['-6,30 dB', -6.3],
    ['0', 0],
    ['loud', undefined],
    ['-900 dB', undefined],
  ])('gain %j is %j', (text, expected) => {
    expect(parseGainDb(text)).toBe(expected);
  });
  it.each([
    ['0.988', 0.988],
    ['1.2', 1.2],
    ['-1', undefined],
    ['x', undefined],
  ])('peak %j is %j', (text, expected) => {
    expect(parsePeak(text)).toBe(expected);
  });
  it.each([
    ['0', 5],
    ['256', 6],
    ['-1536', -1],
    ['-32768', -123],
    ['40000', undefined],
    ['1.5', undefined],
  ])('R128 %j is %j dB of ReplayGain', (text, expected) => {
    expect(parseR128Db(text)).toBe(expected);
  });
  it.each([
    ['120', 120],
    ['99.5', 99.5],
    ['0', undefined],
    ['fast', undefined],
  ])('%j is %j beats', (text, expected) => {
    expect(parseBpm(text)).toBe(expected);
  });
});

describe('text', () => {
  it('finds every mbid whatever separates them', () => {
    const mbid = '0B80189D-d655-4db5-95bf-85ed6399d0f4';
    expect(parseUuids(`${mbid}/9415aa58-574d-4e64-8351-a6eafee065d2; x`)).toEqual([
      mbid.toLowerCase(),
      '9415aa58-574d-4e64-8351-a6eafee065d2',
    ]);
    expect(parseUuids('no id')).toEqual([]);
  });

  it('trims spaces and NULs at both ends only', () => {
    expect(trimmed('\ufeff \0a\0b \u3000\0')).toBe('a\0b');
    expect(trimmed(' \0 ')).toBe('');
  });

  it('reads what is not UTF-8 as Windows-1252, and leaves a real replacement character alone', () => {
    expect(decodeAlone(decodeUtf8(Buffer.from([0x63, 0x61, 0x66, 0xe9]), 0, 4))).toBe('café');
    expect(decodeUtf8(Buffer.from('a\ufffdb'), 0, 5)).toBe('a\ufffdb');
    expect(decodeAlone(keepBytes(Buffer.from([0x93, 0x61, 0x94]), 0, 3))).toBe('“a”');
  });

  it("reads iTunes' samples", () => {
    expect(parseSmoothPlayback(' 00000000 00000840 000001CA 00000000003F31F6 00000000')).toEqual({
      delay: 0x840,
      padding: 0x1ca,
      samples: 0x3f31f6,
    });
    expect(parseSmoothPlayback('nonsense')).toBeUndefined();
  });
});

describe('lyrics', () => {
  it('are synced lines of LRC, in order of time', () => {
    expect(parseLyrics('[ti:Song]\n[00:12.5]two\r\n[00:01.00][01:02.345]one <00:03.00>word\n')).toEqual({
      synced: true,
      lines: [
        { startMs: 1000, text: 'one word' },
        { startMs: 12_500, text: 'two' },
        { startMs: 62_345, text: 'one word' },
      ],
    });
  });

  it('are shifted by the offset, never before the start', () => {
    expect(parseLyrics('[offset:+500]\n[00:00.10]a\n[00:02.00]b')?.lines).toEqual([
      { startMs: 0, text: 'a' },
      { startMs: 1500, text: 'b' },
    ]);
  });

  it('are plain lines of other text', () => {
    expect(parseLyrics('\n one \n\n[chorus] two\n\n')).toEqual({
      synced: false,
      lines: [{ text: 'one' }, { text: '' }, { text: '[chorus] two' }],
    });
    expect(parseLyrics(' \n\0 ')).toBeUndefined();
  });

  it('are truncated at a length that no song has', () => {
    expect(parseLyrics('la '.repeat(200_000))?.lines[0]?.text.length).toBeLessThanOrEqual(256 << 10);
    const lyrics = parseLyrics(`${'[0:1]'.repeat(5000)}${'la '.repeat(60_000)}`);
    expect(lyrics?.lines.reduce((sum, line) => sum + line.text.length, 0)).toBeLessThanOrEqual(256 << 10);
  });
});
