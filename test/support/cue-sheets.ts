// CUE sheets as programs and users write them, each with audio of ten minutes at 44,100 Hz, and the resulting tracks of
// the file `Album.flac`.

interface SheetCase {
  quirk: string;
  sheet: string | Buffer;
  sheetName?: string;
  /** Names of other audio files in the folder. */
  otherFiles?: string[];
  /** Start of each track in 75ths of a second, or why the sheet is not used; undefined if the file is one track. */
  trackStarts: number[] | RegExp | undefined;
  /** Titles of the first tracks. */
  titles?: (string | undefined)[];
  /** Fields of the first track. */
  firstFields?: Record<string, unknown>;
  /** Fields of the last track. */
  lastFields?: Record<string, unknown>;
}

const lines = (...rows: string[]): string => rows.join('\r\n');
const track = (number: number, time: string, ...moreLines: string[]): string[] => [
  `  TRACK ${String(number).padStart(2, '0')} AUDIO`,
  `    TITLE "Song ${number}"`,
  ...moreLines,
  `    INDEX 01 ${time}`,
];
const FILE = 'FILE "Album.flac" WAVE';
const TWO_TRACKS = [...track(1, '00:00:00'), ...track(2, '03:10:37')];
const TWO_TRACKS_BEGIN = [0, (3 * 60 + 10) * 75 + 37];
const HEAD = ['PERFORMER "Band"', 'TITLE "Record"'];
const plainSheet = lines(...HEAD, FILE, ...TWO_TRACKS);
const cp1251 = (text: string): Buffer =>
  Buffer.from(
    [...text].map((character) => {
      const code = character.charCodeAt(0);
      return code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code;
    }),
  );
const utf16 = (text: string, isBig: boolean): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

export const SHEETS: SheetCase[] = [
  {
    quirk: 'as EAC writes it',
    sheet: lines(
      'REM GENRE Rock',
      'REM DATE 1994',
      'REM DISCID 8B0A2C0C',
      'REM COMMENT "ExactAudioCopy v1.0b3"',
      plainSheet,
    ),
    trackStarts: TWO_TRACKS_BEGIN,
    titles: ['Song 1', 'Song 2'],
    firstFields: {
      album: 'Record',
      artists: ['Band'],
      albumArtist: 'Band',
      genres: ['Rock'],
      year: 1994,
      comment: undefined,
    },
  },
  {
    quirk: 'a UTF-8 mark',
    sheet: `\ufeff${plainSheet}`,
    trackStarts: TWO_TRACKS_BEGIN,
    firstFields: { albumArtist: 'Band' },
  },
  {
    quirk: 'UTF-16, little-endian',
    sheet: utf16(plainSheet, false),
    trackStarts: TWO_TRACKS_BEGIN,
    titles: ['Song 1'],
  },
  {
    quirk: 'the gap of the next file’s track at the end of this file',
    sheet: lines(
      ...HEAD,
      FILE,
      ...track(1, '00:00:00'),
      '  TRACK 02 AUDIO',
      '    INDEX 00 09:58:00',
      'FILE "02.flac" WAVE',
      '    INDEX 01 00:00:00',
    ),
    otherFiles: ['02.flac'],
    trackStarts: undefined,
  },
  {
    quirk: 'a track that is named in two files, and begins in the second one',
    sheet: lines(
      ...HEAD,
      FILE,
      ...track(1, '00:00:00'),
      '  TRACK 02 AUDIO',
      '    INDEX 00 09:58:00',
      'FILE "02.flac" WAVE',
      ...track(2, '00:00:00'),
    ),
    otherFiles: ['02.flac'],
    trackStarts: undefined,
  },
  { quirk: 'UTF-16, big-endian', sheet: utf16(plainSheet, true), trackStarts: TWO_TRACKS_BEGIN, titles: ['Song 1'] },
  {
    quirk: 'Windows-1251',
    sheet: cp1251(plainSheet.replace('Record', 'Группа крови').replace('Song 2', 'Звезда')),
    trackStarts: TWO_TRACKS_BEGIN,
    titles: ['Song 1', 'Звезда'],
    firstFields: { album: 'Группа крови' },
  },
  {
    quirk: 'Windows-1252',
    sheet: Buffer.from(plainSheet.replace('Record', 'Déjà vu'), 'latin1'),
    trackStarts: TWO_TRACKS_BEGIN,
    firstFields: { album: 'Déjà vu' },
  },
  { quirk: 'line feeds', sheet: plainSheet.replaceAll('\r\n', '\n'), trackStarts: TWO_TRACKS_BEGIN },
  { quirk: 'carriage returns', sheet: plainSheet.replaceAll('\r\n', '\r'), trackStarts: TWO_TRACKS_BEGIN },
  {
    quirk: 'tabs and blank lines',
    sheet: plainSheet.replaceAll('  ', '\t').replaceAll('\r\n', '\n\n'),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'commands in lower case',
    sheet: plainSheet.replace(/^\s*[A-Z]+/gm, (letter) => letter.toLowerCase()),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  { quirk: 'no FILE line', sheet: lines(...HEAD, ...TWO_TRACKS), trackStarts: TWO_TRACKS_BEGIN },
  {
    quirk: 'a FILE line without a name',
    sheet: plainSheet.replace(FILE, 'FILE "" WAVE'),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'a FILE line without a type',
    sheet: plainSheet.replace(FILE, 'FILE "Album.flac"'),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'a file name without quotes',
    sheet: plainSheet.replace(FILE, 'FILE Album.flac WAVE'),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'the ending before it was converted',
    sheet: plainSheet.replace('Album.flac', 'Album.wav'),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'the name before it was renamed',
    sheet: plainSheet.replace('Album.flac', 'CDImage.ape'),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'the name before it was renamed, beside other audio',
    sheet: plainSheet.replace('Album.flac', 'CDImage.ape'),
    sheetName: 'Rip.cue',
    otherFiles: ['Other.flac'],
    trackStarts: undefined,
  },
  {
    quirk: 'a name in another case',
    sheet: plainSheet.replace('Album.flac', 'ALBUM.FLAC'),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'a Windows path',
    sheet: plainSheet.replace('Album.flac', 'C:\\Music\\Band\\Album.flac'),
    sheetName: 'Rip.cue',
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'a path that leads elsewhere',
    sheet: plainSheet.replace('Album.flac', '../../../etc/passwd'),
    sheetName: 'Rip.cue',
    otherFiles: ['Other.flac'],
    trackStarts: undefined,
  },
  {
    quirk: 'a name with a NUL',
    sheet: plainSheet.replace('Album.flac', 'Al\0bum.flac'),
    otherFiles: ['x.mp3'],
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'the ending of the audio in its own name',
    sheet: plainSheet,
    sheetName: 'Album.flac.cue',
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'titles without quotes, or with only one',
    sheet: plainSheet.replace('"Song 1"', 'Song 1').replace('"Song 2"', '"Song 2'),
    trackStarts: TWO_TRACKS_BEGIN,
    titles: ['Song 1', 'Song 2'],
  },
  {
    quirk: 'quotes inside a title',
    sheet: plainSheet.replace('"Song 1"', '"The "First" Song"'),
    trackStarts: TWO_TRACKS_BEGIN,
    titles: ['The "First" Song'],
  },
  {
    quirk: 'no titles',
    sheet: plainSheet.replace(/ +TITLE.*\r\n/g, ''),
    trackStarts: TWO_TRACKS_BEGIN,
    titles: ['Track 1', 'Track 2'],
  },
  {
    quirk: 'an artist per track',
    sheet: lines(
      'TITLE "Record"',
      FILE,
      ...track(1, '00:00:00', 'PERFORMER "A"'),
      ...track(2, '03:10:37', 'PERFORMER "B"'),
    ),
    trackStarts: TWO_TRACKS_BEGIN,
    firstFields: { artists: ['A'], compilation: true, albumArtists: [] },
    lastFields: { artists: ['B'], compilation: true },
  },
  {
    quirk: 'ISRC, songwriter and flags',
    sheet: lines(
      ...HEAD,
      FILE,
      ...track(1, '00:00:00', 'ISRC GBAYE0000351', 'SONGWRITER "Writer"', 'FLAGS DCP'),
      ...track(2, '03:10:37'),
    ),
    trackStarts: TWO_TRACKS_BEGIN,
    firstFields: { isrc: ['GBAYE0000351'], composer: ['Writer'] },
    lastFields: { isrc: undefined, composer: undefined },
  },
  {
    quirk: 'ReplayGain',
    sheet: lines(
      'REM REPLAYGAIN_ALBUM_GAIN -7.50 dB',
      ...HEAD,
      FILE,
      ...track(1, '00:00:00', 'REM REPLAYGAIN_TRACK_GAIN -6.25 dB', 'REM REPLAYGAIN_TRACK_PEAK 0.5'),
      ...track(2, '03:10:37'),
    ),
    trackStarts: TWO_TRACKS_BEGIN,
    firstFields: { replayGain: { trackGainDb: -6.25, trackPeak: 0.5, albumGainDb: -7.5 } },
    lastFields: { replayGain: { albumGainDb: -7.5 } },
  },
  {
    quirk: 'disc numbers',
    sheet: lines('REM DISCNUMBER 2', 'REM TOTALDISCS 3', plainSheet),
    trackStarts: TWO_TRACKS_BEGIN,
    firstFields: { discNumber: 2, discTotal: 3 },
  },
  {
    quirk: 'gaps at the end of tracks (INDEX 00)',
    sheet: lines(...HEAD, FILE, ...track(1, '00:00:00'), ...track(2, '03:10:37', 'INDEX 00 03:08:00')),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'only gaps',
    sheet: plainSheet.replace('INDEX 01 03:10:37', 'INDEX 00 03:10:37'),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  { quirk: 'further indexes', sheet: lines(plainSheet, '    INDEX 02 05:00:00'), trackStarts: TWO_TRACKS_BEGIN },
  {
    quirk: 'silence that is not in the file (PREGAP)',
    sheet: lines(
      ...HEAD,
      FILE,
      ...track(1, '00:00:00', 'PREGAP 00:02:00'),
      ...track(2, '03:10:37', 'POSTGAP 00:01:00'),
    ),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'a short gap before the first track',
    sheet: plainSheet.replace('INDEX 01 00:00:00', 'INDEX 01 00:02:00'),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'a hidden track before the first',
    sheet: plainSheet.replace('INDEX 01 00:00:00', 'INDEX 00 00:00:00\r\n    INDEX 01 01:20:00'),
    trackStarts: [0, 80 * 75, TWO_TRACKS_BEGIN[1] as number],
    titles: ['Hidden Track', 'Song 1', 'Song 2'],
    firstFields: { trackNumber: undefined },
  },
  {
    quirk: 'several files, of which this has several tracks',
    sheet: lines(
      ...HEAD,
      FILE,
      ...TWO_TRACKS,
      'FILE "Side B.flac" WAVE',
      ...track(3, '00:00:00'),
      ...track(4, '02:00:00'),
    ),
    otherFiles: ['Side B.flac'],
    trackStarts: TWO_TRACKS_BEGIN,
    lastFields: { trackNumber: 2 },
  },
  {
    quirk: 'this is the second file, with the gap of its first track in the one before',
    sheet: lines(
      ...HEAD,
      'FILE "Side A.flac" WAVE',
      ...track(1, '00:00:00'),
      '  TRACK 02 AUDIO',
      '    INDEX 00 04:00:00',
      FILE,
      '    INDEX 01 00:00:00',
      ...track(3, '03:10:37'),
    ),
    otherFiles: ['Side A.flac'],
    trackStarts: TWO_TRACKS_BEGIN,
    firstFields: { trackNumber: 2 },
  },
  {
    quirk: 'a file for each track',
    sheet: lines(...HEAD, FILE, ...track(1, '00:00:00'), 'FILE "02.flac" WAVE', ...track(2, '00:00:00')),
    otherFiles: ['02.flac'],
    trackStarts: undefined,
  },
  { quirk: 'a single track', sheet: lines(...HEAD, FILE, ...track(1, '00:00:00')), trackStarts: undefined },
  {
    quirk: 'more than 99 tracks',
    sheet: lines(
      ...HEAD,
      FILE,
      ...Array.from({ length: 120 }, (_, i) =>
        track(
          i + 1,
          `00:${String(i % 60).padStart(2, '0')}:00`.replace('00:', `${String(Math.floor(i / 60)).padStart(2, '0')}:`),
        ),
      ).flat(),
    ),
    trackStarts: Array.from({ length: 120 }, (_, i) => i * 75),
    lastFields: { trackNumber: 120 },
  },
  {
    quirk: 'numbers that repeat',
    sheet: plainSheet.replace('TRACK 02', 'TRACK 01'),
    trackStarts: TWO_TRACKS_BEGIN,
    lastFields: { trackNumber: 2 },
  },
  {
    quirk: 'audio before the first track, whose number another track has',
    sheet: lines(FILE, ...track(2, '00:10:00'), ...track(1, '03:10:37')),
    trackStarts: TWO_TRACKS_BEGIN,
    titles: ['Song 2', 'Song 1'],
  },
  {
    quirk: 'a data track',
    sheet: lines(plainSheet, '  TRACK 03 MODE1/2352', '    INDEX 01 05:00:00'),
    trackStarts: TWO_TRACKS_BEGIN,
  },
  {
    quirk: 'tracks that overlap',
    sheet: lines(plainSheet, ...track(3, '03:10:37')),
    trackStarts: /track 3 begins before track 2 ends/,
  },
  {
    quirk: 'tracks in the wrong order',
    sheet: lines(plainSheet, ...track(3, '01:00:00')),
    trackStarts: /track 3 begins before/,
  },
  {
    quirk: 'a track after the end of the file',
    sheet: lines(plainSheet, ...track(3, '10:00:00')),
    trackStarts: /track 3 begins after the end/,
  },
  {
    quirk: 'a track without an index',
    sheet: lines(plainSheet, '  TRACK 03 AUDIO', '    TITLE "x"'),
    trackStarts: /track 3 has no index/,
  },
  {
    quirk: 'a time that is none',
    sheet: plainSheet.replace('03:10:37', '03:70:99'),
    trackStarts: /“01 03:70:99” of track 2 is not a time/,
  },
  { quirk: 'no tracks', sheet: lines(...HEAD, FILE), trackStarts: /it has no tracks/ },
  { quirk: 'a text of another kind', sheet: 'Log of the rip\nAll tracks accurately ripped\n', trackStarts: undefined },
  {
    quirk: 'random bytes',
    sheet: Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7_919) % 256)),
    trackStarts: undefined,
  },
  { quirk: 'an empty sheet', sheet: '', trackStarts: undefined },
  {
    quirk: 'an image and its parts beside it, each with a FILE line',
    sheet: lines(
      ...HEAD,
      'FILE "01.flac" WAVE',
      ...track(1, '00:00:00'),
      'FILE "Album.flac" WAVE',
      ...track(2, '00:00:00'),
    ),
    otherFiles: ['01.flac'],
    trackStarts: undefined,
  },
  {
    quirk: 'the gaps of two files, each at the end of the file before',
    sheet: lines(
      ...HEAD,
      'FILE "01.flac" WAVE',
      ...track(1, '00:00:00'),
      '  TRACK 02 AUDIO',
      '    INDEX 00 03:00:00',
      FILE,
      '    INDEX 01 00:00:00',
      '  TRACK 03 AUDIO',
      '    INDEX 00 09:57:00',
      'FILE "03.flac" WAVE',
      '    INDEX 01 00:00:00',
    ),
    otherFiles: ['01.flac', '03.flac'],
    trackStarts: undefined,
  },
  {
    quirk: 'two tracks that begin at the same time',
    sheet: lines(...HEAD, FILE, ...track(1, '00:00:00'), ...track(2, '00:00:00')),
    trackStarts: /track 2 begins/,
  },
  {
    quirk: 'a web page in its place',
    sheet: '<!DOCTYPE html><html><body>404 FILE "x"</body></html>',
    trackStarts: undefined,
  },
  {
    quirk: 'a data track beside the only song',
    sheet: lines(...HEAD, FILE, ...track(1, '00:00:00'), '  TRACK 02 MODE1/2352', '    INDEX 01 09:00:00'),
    trackStarts: undefined,
  },
  {
    quirk: 'several indexes in the only track',
    sheet: lines(...HEAD, FILE, ...track(1, '00:00:00', '    INDEX 00 00:00:00'), '    INDEX 02 04:00:00'),
    trackStarts: undefined,
  },
  {
    quirk: 'gaps before each track, as players show them',
    sheet: lines(...HEAD, FILE, ...track(1, '00:00:00'), ...track(2, '03:10:37', '    INDEX 00 03:08:00')),
    trackStarts: TWO_TRACKS_BEGIN,
  },
];
