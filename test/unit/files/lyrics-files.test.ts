import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { preferLyrics, readLyricsFile } from '../../../server/files/lyrics-files.ts';
import { findLyricsFiles, lyricsStamp, nameInLyricsStamp } from '../../../server/files/lyrics-names.ts';

const dir = mkdtempSync(join(tmpdir(), 'tonearm-lyrics-'));
afterAll(() => rmSync(dir, { recursive: true }));

test.each([
  [['a.mp3'], ['a.lrc'], ['a.lrc']],
  [['a.mp3', 'b.flac'], ['b.txt'], [undefined, 'b.txt']],
  [['a.mp3'], ['a.txt', 'a.lrc'], ['a.lrc']],
  [['a.mp3'], ['a.lrc', 'a.txt'], ['a.lrc']],
  [['01 Song.MP3'], ['01 song.LRC'], ['01 song.LRC']],
  [['a.mp3'], ['readme.txt', 'a.b.lrc'], [undefined]],
  [['a.b.mp3'], ['a.b.lrc', 'a.lrc'], ['a.b.lrc']],
  [['a.mp3', 'a.flac'], ['a.lrc'], ['a.lrc', 'a.lrc']],
  [['a.mp3'], [], [undefined]],
  [['a.mp3'], ['a.en.lrc'], ['a.en.lrc']],
  [['a.mp3'], ['a.pt-BR.lrc', 'a.live.lrc'], ['a.pt-BR.lrc']],
  [['a.mp3', 'a.de.mp3'], ['a.de.lrc'], ['a.de.lrc', 'a.de.lrc']],
  [['a.mp3'], ['a.de.lrc', 'a.lrc'], ['a.lrc']],
])('%j with %j beside them have the lyrics %j', (audio, texts, lyrics) => {
  expect(findLyricsFiles(audio, texts)).toEqual(lyrics);
});

const toSynced = (text: string) => ({ synced: true, lines: [{ startMs: 1, text }] });
const toPlain = (text: string) => ({ synced: false, lines: [{ text }] });

test.each([
  [undefined, undefined, undefined],
  [toPlain('in'), undefined, toPlain('in')],
  [undefined, toPlain('beside'), toPlain('beside')],
  [toPlain('in'), toPlain('beside'), toPlain('beside')],
  [toSynced('in'), toSynced('beside'), toSynced('beside')],
  [toPlain('in'), toSynced('beside'), toSynced('beside')],
  [toSynced('in'), toPlain('beside'), toSynced('in')],
])('of %j in the tags and %j in a file, %j are used', (tagLyrics, fileLyrics, expectedLyrics) => {
  expect(preferLyrics(tagLyrics, fileLyrics)).toEqual(expectedLyrics);
});

test.each([
  ['song.de.txt', 'Meer', 'de'],
  ['song.pt-BR.txt', 'Mar', 'pt-BR'],
  ['song.live.txt', 'Sea', undefined],
  ['song.lrc', '[la:eng]\n[00:01]Sea', 'eng'],
  ['song.de.lrc', '[la:xxx]\n[00:01]Meer', 'de'],
  ['song.ttml', '<tt xml:lang="fr"><body><div><p begin="1s">Mer</p></div></body></tt>', 'fr'],
])('%s with %j is in %s', (name, text, language) => {
  writeFileSync(join(dir, name), text);
  expect(readLyricsFile(join(dir, name))?.language).toBe(language);
});

test('the mark of a lyrics file contains its name', () => {
  expect(nameInLyricsStamp(lyricsStamp('a.lrc', { size: 5, mtimeUs: 7 }))).toBe('a.lrc');
});

test.each([
  ['UTF-8', Buffer.from('Größe\n夜')],
  ['UTF-8 with a mark', Buffer.from('\ufeffGröße\n夜')],
  ['UTF-16, little end first', Buffer.from('\ufeffGröße\n夜', 'utf16le')],
  ['UTF-16, big end first', Buffer.from('\ufeffGröße\n夜', 'utf16le').swap16()],
])('a file in %s is read', (_, bytes) => {
  writeFileSync(join(dir, 'song.txt'), bytes);
  expect(readLyricsFile(join(dir, 'song.txt'))).toEqual({ synced: false, lines: [{ text: 'Größe' }, { text: '夜' }] });
});

test('other encodings and times are recognized', () => {
  writeFileSync(join(dir, 'song.lrc'), Buffer.from('[00:01.50]Gr\xf6\xdfe', 'latin1'));
  expect(readLyricsFile(join(dir, 'song.lrc'))).toEqual({ synced: true, lines: [{ startMs: 1500, text: 'Größe' }] });
});

test('a missing, empty or too large file, or a folder, has no lyrics', () => {
  writeFileSync(join(dir, 'empty.lrc'), ' \n\n');
  writeFileSync(join(dir, 'large.txt'), 'la '.repeat(400_000));
  for (const name of ['nowhere.lrc', 'empty.lrc', 'large.txt', '.'])
    expect(readLyricsFile(join(dir, name)), name).toBeUndefined();
});
