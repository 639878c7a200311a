// Playlist files as players write them, with the paths, encodings and line ends of each.

/** A track of the library that a playlist names. */
export interface NamedFile {
  /** Path below the music folder, with `/`. */
  path: string;
  artist: string;
  title: string;
  seconds: number;
}

export interface PlayerFile {
  /** The player and what is special about the file. */
  label: string;
  name: string;
  bytes: Buffer;
}

type Format = (files: readonly NamedFile[]) => PlayerFile;

const CRLF = '\r\n';
const utf8 = (text: string): Buffer => Buffer.from(text);
const withMark = (text: string): Buffer => Buffer.from(`\ufeff${text}`);
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
/** Characters that the encoding does not have become question marks, as in the players. */
const western = (text: string): Buffer =>
  Buffer.from(
    [...text.normalize('NFC')].map((sign) => ((sign.codePointAt(0) ?? 63) < 256 ? (sign.codePointAt(0) ?? 63) : 63)),
  );

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
const windows = (root: string, path: string): string => `${root}\\${path.replaceAll('/', '\\')}`;
const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const info = ({ seconds, artist, title }: NamedFile): string => `#EXTINF:${seconds},${artist} - ${title}`;

const extended = (
  files: readonly NamedFile[],
  placeOf: (path: string) => string,
  { end = '\n', describe = info, head = '#EXTM3U' }: { end?: string; describe?: typeof info; head?: string } = {},
): string => [head, ...files.flatMap((file) => [describe(file), placeOf(file.path)]), ''].join(end);
const plain = (files: readonly NamedFile[], placeOf: (path: string) => string, end = '\n'): string =>
  [...files.map(({ path }) => placeOf(path)), ''].join(end);
const pls = (files: readonly NamedFile[], placeOf: (path: string) => string, end: string, head = ''): string =>
  [
    '[playlist]',
    ...(head === '' ? [] : [head]),
    ...files.flatMap(({ path, artist, title, seconds }, n) => [
      `File${n + 1}=${placeOf(path)}`,
      `Title${n + 1}=${artist} - ${title}`,
      `Length${n + 1}=${seconds}`,
    ]),
    `NumberOfEntries=${files.length}`,
    'Version=2',
    '',
  ].join(end);
const xspf = (files: readonly NamedFile[], placeOf: (path: string) => string, title: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<playlist xmlns="http://xspf.org/ns/0/" version="1">\n<title>${title}</title>
<trackList>\n${files
    .map(
      ({ path, artist, title: name, seconds }) =>
        `<track><location>${xml(placeOf(path))}</location><title>${xml(name)}</title><creator>${xml(artist)}</creator>` +
        `<duration>${seconds * 1_000}</duration></track>`,
    )
    .join('\n')}\n</trackList>\n</playlist>\n`;

const otherExtension = (path: string): string => path.replace(/\.flac$/, '.mp3');
const file = (label: string, name: string, bytes: Buffer): PlayerFile => ({ label, name, bytes });

/** `root` is the music folder itself. All files are in a folder of the music folder. */
export const playerFormats = (root: string): Format[] => [
  (f) =>
    file(
      'foobar2000, m3u8',
      'foobar.m3u8',
      withMark(plain(f, (p) => windows('D:\\Music', p), CRLF).replace(/^/, `#${CRLF}`)),
    ),
  (f) =>
    file(
      'foobar2000, relative',
      'foobar-relative.m3u8',
      withMark(`#${CRLF}${plain(f, (p) => windows('..', p), CRLF)}`),
    ),
  (f) => file('foobar2000, share', 'foobar-share.m3u', withMark(plain(f, (p) => windows('\\\\NAS\\music', p), CRLF))),
  (f) => file('Winamp, m3u', 'winamp.m3u', western(extended(f, (p) => windows('\\Music', p), { end: CRLF }))),
  (f) =>
    file(
      'Winamp, m3u8',
      'winamp.m3u8',
      withMark(extended(f, (p) => windows('C:\\Users\\Ann\\Music', p), { end: CRLF })),
    ),
  (f) => file('Winamp, pls', 'winamp.pls', western(pls(f, (p) => windows('E:\\Musik', p), CRLF))),
  (f) => file('VLC, m3u8', 'vlc.m3u8', utf8(extended(f, (p) => `file:///home/ann/Music/${encoded(p)}`))),
  (f) => file('VLC, xspf', 'vlc.xspf', utf8(xspf(f, (p) => `file:///C:/Music/${encoded(p)}`, 'Playlist'))),
  (f) => file('VLC, relative', 'vlc-relative.m3u', utf8(extended(f, (p) => `../${encoded(p)}`))),
  (f) => file('MusicBee, m3u', 'musicbee.m3u', withMark(extended(f, (p) => windows('F:\\Music', p), { end: CRLF }))),
  (f) => file('MusicBee, relative', 'musicbee-relative.m3u8', utf8(plain(f, (p) => windows('..', p), CRLF))),
  (f) => file('MusicBee, utf-16', 'musicbee-utf16.m3u', utf16(plain(f, (p) => windows('F:\\Music', p), CRLF))),
  (f) =>
    file(
      'Rhythmbox, pls',
      'rhythmbox.pls',
      utf8(pls(f, (p) => `file:///home/ann/Music/${encoded(p)}`, '\n', 'X-GNOME-Title=Rhythm')),
    ),
  (f) =>
    file('Rhythmbox, xspf', 'rhythmbox.xspf', utf8(xspf(f, (p) => `file:///home/ann/Music/${encoded(p)}`, 'Rhythm'))),
  (f) => file('Rhythmbox, m3u', 'rhythmbox.m3u', utf8(extended(f, (p) => `../${p}`))),
  (f) => file('Strawberry, xspf', 'strawberry.xspf', utf8(xspf(f, (p) => `../${encoded(p)}`, 'Strawberry'))),
  (f) => file('Strawberry, m3u8', 'strawberry.m3u8', utf8(extended(f, (p) => `/mnt/nas/music/${p}`))),
  (f) => file('Clementine, pls', 'clementine.pls', utf8(pls(f, (p) => `/home/ann/Music/${p}`, '\n'))),
  (f) => file('Plex export', 'plex.m3u', utf8(extended(f, (p) => `/volume1/music/${p}`))),
  (f) => file('Plex export, data mount', 'plex-data.m3u8', utf8(plain(f, (p) => `/data/media/music/${p}`))),
  (f) =>
    file(
      'iTunes on a Mac',
      'itunes.m3u',
      utf8(
        extended(f, (p) => `/Volumes/Music/${p.normalize('NFD')}`, {
          end: '\r',
          describe: ({ seconds, artist, title }) => `#EXTINF:${seconds},${title} - ${artist}`,
        }),
      ),
    ),
  (f) =>
    file(
      'Apple Music',
      'music.m3u8',
      utf8(extended(f, (p) => `/Users/ann/Music/Media.localized/${p.normalize('NFD')}`, { end: '\r\n' })),
    ),
  (f) =>
    file('Kodi, smb', 'kodi.m3u8', utf8(extended(f, (p) => `smb://nas/music/${p}`, { head: '#EXTCPlayListM3U::M3U' }))),
  (f) => file('Kodi, nfs', 'kodi-nfs.m3u', utf8(extended(f, (p) => `nfs://192.168.1.2/volume1/music/${encoded(p)}`))),
  (f) => file('Mp3tag, m3u', 'mp3tag.m3u', western(extended(f, (p) => windows('..', p), { end: CRLF }))),
  (f) => file('Mp3tag, m3u8', 'mp3tag.m3u8', withMark(extended(f, (p) => windows('..', p), { end: CRLF }))),
  (f) => file('mpd', 'mpd.m3u', utf8(plain(f, (p) => p))),
  (f) => file('mpd, absolute', 'mpd-absolute.m3u', utf8(plain(f, (p) => `${root}/${p}`))),
  (f) =>
    file(
      'Traktor, Windows',
      'traktor.m3u',
      utf8(extended(f, (p) => windows('C:\\Users\\DJ\\Music', p), { end: CRLF })),
    ),
  (f) => file('Traktor, Mac', 'traktor-mac.m3u', utf8(extended(f, (p) => `/Users/dj/Music/${p.normalize('NFD')}`))),
];

/** The same formats for a library that was converted: the files had another extension. */
export const convertedFormats = (root: string): Format[] =>
  playerFormats(root).map((format) => (files) => {
    const { label, name, bytes } = format(files.map((named) => ({ ...named, path: otherExtension(named.path) })));
    return { label: `${label}, converted`, name: `converted-${name}`, bytes };
  });
