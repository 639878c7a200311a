// The file of a deleted track moves inside the music folder, also over the files of other tracks: deleted tracks stay
// deleted, other tracks keep their likes, and a restored track plays the file at its new place.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TrackOut } from '../../server/library/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

type SongName = 'a' | 'b' | 'c' | 'd';

interface FileChange {
  title: string;
  deletedSongs: SongName[];
  change: () => void;
  /** Makes another change after a scan has seen the first one. */
  laterChange?: () => void;
  /** Path of the file that each remaining track has after the change; null for none. */
  remaining: Partial<Record<SongName, string | null>>;
  /** Path of the file that each deleted track has after it is restored; null for none. */
  restoredPaths: Partial<Record<SongName, string | null>>;
  isLarge?: boolean;
}

let base: string;
let server: TestServer;
const pathOf = (name: string): string => join(base, 'music', `${name}.mp3`);
const moveFile = (oldName: string, newName: string): void => renameSync(pathOf(oldName), pathOf(newName));

/** Makes a different song for every name. In reference mode, large files are not hashed at once. */
function makeSong(name: string, isLarge = false): Buffer {
  const textFrame = (frame: string, value: string) => id3Frame(frame, utf8Text(value));
  const tag = id3([textFrame('TIT2', `Song ${name}`), textFrame('TPE1', 'Ann'), textFrame('TALB', 'Alpha')]);
  const audio = silentMp3(60 + name.charCodeAt(0));
  return Buffer.concat([tag, ...(isLarge ? Array.from({ length: 60 }, () => audio) : [audio])]);
}

const FILE_CHANGES: FileChange[] = [
  {
    title: 'renamed',
    deletedSongs: ['a'],
    change: () => moveFile('a', 'x'),
    remaining: { b: 'b' },
    restoredPaths: { a: 'x' },
  },
  {
    title: 'over the file of another track',
    deletedSongs: ['a'],
    change: () => moveFile('a', 'b'),
    remaining: { b: null, c: 'c' },
    restoredPaths: { a: 'b' },
  },
  {
    title: 'over the file of a track whose file is elsewhere now',
    deletedSongs: ['a'],
    change() {
      moveFile('b', 'x');
      moveFile('a', 'b');
    },
    remaining: { b: 'x', c: 'c' },
    restoredPaths: { a: 'b' },
  },
  {
    title: 'over the file of a track whose file then reappears elsewhere',
    deletedSongs: ['a'],
    change() {
      copyFileSync(pathOf('b'), join(base, 'aside.mp3'));
      moveFile('a', 'b');
    },
    laterChange: () => copyFileSync(join(base, 'aside.mp3'), pathOf('x')),
    remaining: { b: 'x', c: 'c' },
    restoredPaths: { a: 'b' },
  },
  {
    title: 'swapped with the file of a track',
    deletedSongs: ['a'],
    change() {
      moveFile('a', 'x');
      moveFile('b', 'a');
      moveFile('x', 'b');
    },
    remaining: { b: 'a', c: 'c' },
    restoredPaths: { a: 'b' },
  },
  {
    title: 'rotated with the files of two tracks',
    deletedSongs: ['a'],
    change() {
      moveFile('a', 'x');
      moveFile('b', 'a');
      moveFile('c', 'b');
      moveFile('x', 'c');
    },
    remaining: { b: 'a', c: 'b' },
    restoredPaths: { a: 'c' },
  },
  {
    title: 'swapped with the file of another deleted track',
    deletedSongs: ['a', 'b'],
    change() {
      moveFile('a', 'x');
      moveFile('b', 'a');
      moveFile('x', 'b');
    },
    remaining: { c: 'c' },
    restoredPaths: { a: 'b', b: 'a' },
  },
  {
    title: 'over the file of another deleted track',
    deletedSongs: ['a', 'b'],
    change: () => moveFile('a', 'b'),
    remaining: { c: 'c' },
    restoredPaths: { a: 'b', b: null },
  },
  {
    title: 'over the file of a track, with another song in its own place',
    deletedSongs: ['a'],
    change() {
      moveFile('a', 'b');
      writeFileSync(pathOf('a'), makeSong('d'));
    },
    remaining: { b: null, c: 'c', d: 'a' },
    restoredPaths: { a: 'b' },
  },
  {
    title: 'large files: another song in its place',
    isLarge: true,
    deletedSongs: ['a'],
    change() {
      moveFile('a', 'x');
      writeFileSync(pathOf('a'), makeSong('d', true));
    },
    remaining: { b: 'b', c: 'c', d: 'a' },
    restoredPaths: { a: 'x' },
  },
  {
    title: 'large files: swapped',
    isLarge: true,
    deletedSongs: ['a'],
    change() {
      moveFile('a', 'x');
      moveFile('b', 'a');
      moveFile('x', 'b');
    },
    remaining: { b: 'a', c: 'c' },
    restoredPaths: { a: 'b' },
  },
];

describe.each(['reference', 'copy'])('in %s mode', (mode) => {
  const ids: Partial<Record<SongName, number | undefined>> = {};
  let isLarge = false;

  beforeEach(async () => {
    base = mkdtempSync(join(tmpdir(), 'tonearm-deleted-files-'));
    for (const name of ['data', 'music']) mkdirSync(join(base, name));
    server = await startServer({
      dir: join(base, 'data'),
      env: { LOCAL_MEDIA_IMPORT_PATH: join(base, 'music'), LOCAL_MEDIA_IMPORT_MODE: mode, MIN_FREE_BYTES: '0' },
    });
  });
  afterEach(async () => {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  });

  async function scan(query = ''): Promise<void> {
    await server.api(`/sources/local_folder/scan${query}`, { method: 'POST' });
    await server.app.drain();
  }
  const idAt = (tracks: TrackOut[], place: string): number | undefined =>
    tracks.find(({ source_id }) => source_id === `${place}.mp3`)?.id;

  async function prepareTracks({
    deletedSongs,
    isLarge: usesLargeFiles = false,
  }: Pick<FileChange, 'deletedSongs' | 'isLarge'>): Promise<void> {
    isLarge = usesLargeFiles;
    for (const name of ['a', 'b', 'c'] as const) writeFileSync(pathOf(name), makeSong(name, usesLargeFiles));
    await scan();
    const tracks = await allTracks(server);
    for (const name of ['a', 'b', 'c'] as const) {
      ids[name] = idAt(tracks, name);
      await server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: ids[name], liked: true } });
    }
    for (const name of deletedSongs) await server.api(`/tracks/${ids[name]}`, { method: 'DELETE' });
  }

  /** Expects each of these tracks with its like and its audio, or missing; song `d` was added later and has no like. */
  async function expectTracks(places: FileChange['remaining']): Promise<void> {
    const tracks = await allTracks(server);
    const actualTracks = await Promise.all(
      Object.entries(places).map(async ([name, place]) => {
        const track = tracks.find(
          ({ id }) => id === (name === 'd' ? idAt(tracks, place ?? '') : ids[name as SongName]),
        );
        const audio = await fetch(`${server.url}/stream/${track?.id}?token=${server.token}`);
        const isOwnAudio = Buffer.from(await audio.arrayBuffer()).equals(makeSong(name, isLarge));
        const { title, liked, source_id } = track ?? {};
        return { name, title, liked, place: source_id, audio: audio.status === 200 ? isOwnAudio : audio.status };
      }),
    );
    expect(actualTracks).toEqual(
      Object.entries(places).map(([name, place]) => ({
        name,
        title: `Song ${name}`,
        liked: name !== 'd',
        place: place === null ? expect.stringContaining('.overwritten/') : `${place}.mp3`,
        audio: place !== null || mode === 'copy' ? true : 410,
      })),
    );
  }

  test.each(FILE_CHANGES)('$title', async (fileChange) => {
    await prepareTracks(fileChange);
    fileChange.change();
    await scan();
    if (fileChange.laterChange) {
      fileChange.laterChange();
      await scan();
    }
    for (let round = 0; round < 2; round++) {
      await expectTracks(fileChange.remaining);
      expect(await allTracks(server)).toHaveLength(
        Object.keys(fileChange.remaining).length + (fileChange.remaining.c ? 0 : 1),
      );
      await scan();
    }
    for (const name of fileChange.deletedSongs)
      expect((await server.api(`/trash/${ids[name]}/restore`, { method: 'POST' })).status).toBe(200);
    await server.app.drain();
    for (let round = 0; round < 2; round++) {
      await expectTracks({ ...fileChange.remaining, ...fileChange.restoredPaths });
      await scan();
    }
  });

  test.each(['a', 'd'])(
    'the file belongs to the last of two tracks that were deleted at one place (%s restored first)',
    async (firstRestored) => {
      await prepareTracks({ deletedSongs: ['a'] });
      writeFileSync(pathOf('a'), makeSong('d'));
      await scan();
      ids.d = idAt(await allTracks(server), 'a');
      await server.api(`/tracks/${ids.d}`, { method: 'DELETE' });
      for (const name of firstRestored === 'a' ? (['a', 'd'] as const) : (['d', 'a'] as const))
        expect((await server.api(`/trash/${ids[name]}/restore`, { method: 'POST' })).status).toBe(200);
      await server.app.drain();
      for (let round = 0; round < 2; round++) {
        await expectTracks({ a: null, b: 'b', c: 'c', d: 'a' });
        expect(await allTracks(server)).toHaveLength(4);
        await scan();
      }
    },
  );

  test.each(['x', 'b'])('a scan with restore brings the deleted track back from %s.mp3', async (place) => {
    await prepareTracks({ deletedSongs: ['a'] });
    moveFile('a', place);
    const { body: job } = await server.api<{ id: number }>('/sources/local_folder/scan?restore=true&dry_run=true', {
      method: 'POST',
    });
    await server.app.drain();
    const dryRunResult = (await server.api<{ result: { added: number; files: number } }>(`/jobs/${job.id}`)).body
      .result;
    expect(dryRunResult).toMatchObject({ added: 1, files: place === 'x' ? 3 : 2 });
    await scan('?restore=true');
    await expectTracks({ a: place, b: place === 'b' ? null : 'b', c: 'c' });
    expect(readFileSync(pathOf(place))).toEqual(makeSong('a'));
    expect(await allTracks(server)).toHaveLength(3);
  });
});
