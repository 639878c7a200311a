// `npm run file-types`: writes the list of files that the app can open into the packaging configuration, from the
// tables of audio and playlist formats. A test fails when the list is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORMATS } from '../server/media/audio-formats.ts';
import { PLAYLIST_FORMATS } from '../server/playlists/playlist-formats.ts';

const root = join(import.meta.dirname, '..');

const audio = FORMATS.flatMap(([, { extensions }]) => extensions);
const playlists = Object.keys(PLAYLIST_FORMATS);
const mimeTypes = [...FORMATS.flatMap(([, facts]) => facts.mimeTypes), ...Object.values(PLAYLIST_FORMATS).flat()];

const list = (items: readonly string[]): string => items.map((item) => `        - ${item}\n`).join('');

/** The texts that are written between two marks of a file. */
const PARTS: { file: string; name: string; comment: string; text: string }[] = [
  {
    file: 'electron-builder.yml',
    name: 'types of Linux',
    comment: '#',
    text: `  mimeTypes:\n${mimeTypes.map((type) => `    - ${type}\n`).join('')}`,
  },
  {
    file: 'electron-builder.yml',
    name: 'types of macOS',
    comment: '#',
    text: `  fileAssociations:
    - name: Playlist
      role: Viewer
      rank: Alternate
      ext:
${list(playlists)}    - name: Audio
      role: Viewer
      rank: Alternate
      ext:
${list(audio)}`,
  },
  {
    file: 'resources/packaging/open-with.nsh',
    name: 'types of Windows',
    comment: ';',
    text: [...playlists, ...audio].map((extension) => `  !insertmacro OPEN_WITH "${extension}"\n`).join(''),
  },
];

/** Returns the contents that the files should have, by path. */
export function withFileTypes(): Map<string, string> {
  const files = new Map<string, string>();
  for (const { file, name, comment, text } of PARTS) {
    const content = files.get(file) ?? readFileSync(join(root, file), 'utf8');
    const section = new RegExp(`(^ *${comment} ${name}[^\\n]*\\n)[^]*?(^ *${comment} end of ${name}\\n)`, 'm');
    if (!section.test(content)) throw new Error(`${file} has no place for the ${name}.`);
    files.set(
      file,
      content.replace(section, (_, head: string, end: string) => head + text + end),
    );
  }
  return files;
}

if (import.meta.main) for (const [file, text] of withFileTypes()) writeFileSync(join(root, file), text);
