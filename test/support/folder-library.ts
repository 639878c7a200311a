// Writes a small music folder as users have them: artists with albums, discs in their own folders, a folder of many
// artists, compilations, and files with every kind of missing tag. The files are made of bytes, without an encoder.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { flac, vorbisComment } from './audio-bytes.ts';

type Tags = Record<string, string>;

const quays = { ARTIST: 'The Quays', ALBUMARTIST: 'The Quays' };

/** Tags of each file by path. */
export const FOLDER_LIBRARY: Record<string, Tags> = {
  'The Quays/Harbour/CD1/01 Low Tide.flac': { ...quays, ALBUM: 'Harbour', TITLE: 'Low Tide', DATE: '1999', DISC: '1' },
  'The Quays/Harbour/CD1/02 High Tide.flac': {
    ...quays,
    ALBUM: 'Harbour',
    TITLE: 'High Tide',
    DATE: '1999',
    DISC: '1',
  },
  'The Quays/Harbour/CD2/01 Ebb.flac': { ...quays, ALBUM: 'Harbour', TITLE: 'Ebb', DATE: '1999', DISC: '2' },
  'The Quays/Nets/01 Mesh.flac': { ...quays, ALBUM: 'Nets', TITLE: 'Mesh', DATE: '2003', GENRE: 'Jazz' },
  'Mora Lind/Alone/01 Alone.flac': { ARTIST: 'Mora Lind', ALBUM: 'Alone', TITLE: 'Alone', DATE: '2010' },
  'Mora Lind/Alone/02 Together.flac': { ARTIST: 'Mora Lind', ALBUM: 'Alone', TITLE: 'Together', DATE: '2010' },
  'Mixed/One.flac': { ARTIST: 'Ada', ALBUM: 'First', TITLE: 'One' },
  'Mixed/Two.flac': { ARTIST: 'Bela', ALBUM: 'Second', TITLE: 'Two' },
  'Samplers/Summer/01 Sun.flac': { ARTIST: 'Ada', ALBUM: 'Summer', ALBUMARTIST: 'Various Artists', TITLE: 'Sun' },
  'Samplers/Summer/02 Sea.flac': { ARTIST: 'Bela', ALBUM: 'Summer', ALBUMARTIST: 'Various Artists', TITLE: 'Sea' },
  'Loose/no album.flac': { ARTIST: 'Ada', TITLE: 'Nowhere' },
  'Loose/no artist.flac': { ALBUM: 'Orphans', TITLE: 'Nobody' },
  'Loose/no title.flac': { ARTIST: 'Bela', ALBUM: 'Orphans' },
  'Loose/nothing.flac': {},
  'at the top.flac': { ARTIST: 'Top', ALBUM: 'Top', TITLE: 'Top' },
};

/** Writes the files, each with different audio, so that none counts as a copy of another. */
export function writeFolderLibrary(dir: string, files: Record<string, Tags> = FOLDER_LIBRARY, firstNumber = 0): void {
  Object.entries(files).forEach(([path, tags], n) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    const bytes = flac([4, vorbisComment(...Object.entries(tags).map(([name, value]) => `${name}=${value}`))]);
    bytes.writeUInt32BE(firstNumber + n + 1, bytes.length - 4);
    writeFileSync(join(dir, path), bytes);
  });
}
