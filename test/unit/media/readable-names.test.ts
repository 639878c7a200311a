// Tests that file names are valid on every system.
import { describe, expect, it } from 'vitest';
import { albumFolder, nameKey, numbered, safeName, trackName } from '../../../server/media/readable-names.ts';

describe('safeName', () => {
  it.each([
    ['Abbey Road', 'Abbey Road'],
    ['AC/DC', 'AC_DC'],
    ['..', 'x'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['C:\\Windows', 'C__Windows'],
    ['What?', 'What_'],

    ['ends with a dot.', 'ends with a dot'],
    ['  blanks\tand\nlines  ', 'blanks_and_lines'],
    ['', 'x'],
    ['   ', 'x'],
    ['. . .', 'x'],
    ['CON', '_CON'],
    ['con.mp3', '_con.mp3'],
    ['COM1', '_COM1'],
    ['LPT²', '_LPT²'],
    ['conout$', '_conout$'],
    ['aux .flac', '_aux .flac'],
    ['👩‍👩‍👧 family', '👩‍👩‍👧 family'],
    ['Console', 'Console'],
    ['Cafe\u0301', 'Café'],
    ['a\u202egpj', 'a_gpj'],
    ['\ud800 alone', '\ufffd alone'],
    ['東京', '東京'],
  ])('%j becomes %j', (text, name) => {
    expect(safeName(text, 'x')).toBe(name);
  });

  it('is short enough in characters and in bytes', () => {
    expect(safeName('a'.repeat(500), 'x')).toHaveLength(80);
    expect(Buffer.byteLength(safeName('東'.repeat(500), 'x'))).toBeLessThanOrEqual(200);
    expect(safeName('🎵'.repeat(500), 'x')).toMatch(/^(?:🎵)+$/u);
    expect(safeName(`${'a'.repeat(79)} b`, 'x')).toBe('a'.repeat(79));
  });
});

describe('paths', () => {
  it.each([
    [albumFolder('Quays', 1999, 'Nocturne'), 'Quays/1999 Nocturne'],
    [albumFolder(null, null, ''), 'Unknown Artist/Unknown Album'],
    [albumFolder('..', null, '..'), 'Unknown Artist/Unknown Album'],
    [trackName({ title: 'Song', trackNumber: 1, discNumber: 1, discCount: 1 }), '01 Song'],
    [trackName({ title: 'Song', trackNumber: 1, discNumber: 2, discCount: 2 }), '2-01 Song'],
    [trackName({ title: 'Song', trackNumber: null, discNumber: 2, discCount: 2 }), 'Song'],
    [trackName({ title: 'Song', trackNumber: 101, discNumber: null, discCount: 1 }), '101 Song'],
    [numbered('Song', 1), 'Song'],
    [numbered('Song', 2), 'Song (2)'],
  ])('%j', (name, expected) => {
    expect(name).toBe(expected);
  });

  it('two names that are the same on some systems have the same key', () => {
    expect(nameKey('A/Cafe\u0301.MP3')).toBe(nameKey('a/Café.mp3'));
  });
});
