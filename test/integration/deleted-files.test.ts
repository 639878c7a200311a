// The file of a deleted track goes elsewhere in the music folder, also over the files of other tracks: what was deleted
// stays deleted, all others keep what people did, and what is restored is heard from where its file is by then.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TrackOut } from '../../server/library/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

type Name = 'a' | 'b' | 'c' | 'd';

interface History {
  what: string;
  deleted: Name[];
  change: () => void;
  /** Another change, after a scan has seen the first. */
  later?: () => void;
  /** Where the tracks that were not deleted have their files then; null: nowhere. */
  left: Partial<Record<Name, string | null>>;
  /** The same of those that were, once they are restored. */
  restored: Partial<Record<Name, string | null>>;
  isLarge?: boolean;
}

let base: string;
let server: TestServer;
const at = (name: string): string => join(base, 'music', `${name}.mp3`);
const move = (from: string, to: string): void => renameSync(at(from), at(to));

/** A song of its own for every name; large ones are not hashed at once in reference mode. */
function song(name: string, isLarge = false): Buffer {
  const text = (frame: string, value: string) => id3Frame(frame, utf8Text(value));
  const tag = id3([text('TIT2', `Song ${name}`), text('TPE1', 'Ann'), text('TALB', 'Alpha')]);
  const first = silentMp3(60 + name.charCodeAt(0));
  return Buffer.concat([tag, ...(isLarge ? Array.from({ length: 60 }, () => first) : [first])]);
}

const HISTORIES: History[] = [
  { what: 'renamed', deleted: ['a'], change: () => move('a', 'x'), left: { b: 'b' }, restored: { a: 'x' } },
  {
    what: 'over the file of another track',
    deleted: ['a'],
    change: () => move('a', 'b'),
    left: { b: null, c: 'c' },
    restored: { a: 'b' },
  },
  {
    what: 'over the file of a track whose file is elsewhere now',
    deleted: ['a'],
    change() {
      move('b', 'x');
      move('a', 'b');
    },
    left: { b: 'x', c: 'c' },
    restored: { a: 'b' },
  },
  {
    what: 'over the file of a track whose file is back elsewhere after that',
    deleted: ['a'],
    change() {
      copyFileSync(at('b'), join(base, 'aside.mp3'));
      move('a', 'b');
    },
    later: () => copyFileSync(join(base, 'aside.mp3'), at('x')),
    left: { b: 'x', c: 'c' },
    restored: { a: 'b' },
  },
  {
    what: 'changed places with the file of a track',
    deleted: ['a'],
    change() {
      move('a', 'x');
      move('b', 'a');
      move('x', 'b');
    },
    left: { b: 'a', c: 'c' },
    restored: { a: 'b' },
  },
  {
    what: 'went round with the files of two tracks',
    deleted: ['a'],
    change() {
      move('a', 'x');
      move('b', 'a');
      move('c', 'b');
      move('x', 'c');
    },
    left: { b: 'a', c: 'b' },
    restored: { a: 'c' },
  },
  {
    what: 'changed places with that of another deleted track',
    deleted: ['a', 'b'],
    change() {
      move('a', 'x');
      move('b', 'a');
      move('x', 'b');
    },
    left: { c: 'c' },
    restored: { a: 'b', b: 'a' },
  },
  {
    what: 'over that of another deleted track',
    deleted: ['a', 'b'],
    change: () => move('a', 'b'),
    left: { c: 'c' },
    restored: { a: 'b', b: null },
  },
  {
    what: 'over that of a track, which has another song in its own place',
    deleted: ['a'],
    change() {
      move('a', 'b');
      writeFileSync(at('a'), song('d'));
    },
    left: { b: null, c: 'c', d: 'a' },
    restored: { a: 'b' },
  },
  {
    what: 'large ones: another song in its place',
    isLarge: true,
    deleted: ['a'],
    change() {
      move('a', 'x');
      writeFileSync(at('a'), song('d', true));
    },
    left: { b: 'b', c: 'c', d: 'a' },
    restored: { a: 'x' },
  },
  {
    what: 'large ones: changed places',
    isLarge: true,
    deleted: ['a'],
    change() {
      move('a', 'x');
      move('b', 'a');
      move('x', 'b');
    },
    left: { b: 'a', c: 'c' },
    restored: { a: 'b' },
  },
];

describe.each(['reference', 'copy'])('in %s mode', (mode) => {
  const ids: Partial<Record<Name, number | undefined>> = {};
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

  async function begin({ deleted, isLarge: large = false }: Pick<History, 'deleted' | 'isLarge'>): Promise<void> {
    isLarge = large;
    for (const name of ['a', 'b', 'c'] as const) writeFileSync(at(name), song(name, large));
    await scan();
    const tracks = await allTracks(server);
    for (const name of ['a', 'b', 'c'] as const) {
      ids[name] = idAt(tracks, name);
      await server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: ids[name], liked: true } });
    }
    for (const name of deleted) await server.api(`/tracks/${ids[name]}`, { method: 'DELETE' });
  }

  /** Every one of these tracks is there with its like and its own audio, or missing; `d` came later. */
  async function expectTracks(places: History['left']): Promise<void> {
    const tracks = await allTracks(server);
    const told = await Promise.all(
      Object.entries(places).map(async ([name, place]) => {
        const track = tracks.find(({ id }) => id === (name === 'd' ? idAt(tracks, place ?? '') : ids[name as Name]));
        const audio = await fetch(`${server.url}/stream/${track?.id}?token=${server.token}`);
        const isIts = Buffer.from(await audio.arrayBuffer()).equals(song(name, isLarge));
        const { title, liked, source_id } = track ?? {};
        return { name, title, liked, place: source_id, audio: audio.status === 200 ? isIts : audio.status };
      }),
    );
    expect(told).toEqual(
      Object.entries(places).map(([name, place]) => ({
        name,
        title: `Song ${name}`,
        liked: name !== 'd',
        place: place === null ? expect.stringContaining('.overwritten/') : `${place}.mp3`,
        audio: place !== null || mode === 'copy' ? true : 410,
      })),
    );
  }

  test.each(HISTORIES)('$what', async (history) => {
    await begin(history);
    history.change();
    await scan();
    if (history.later) {
      history.later();
      await scan();
    }
    for (let round = 0; round < 2; round++) {
      await expectTracks(history.left);
      expect(await allTracks(server)).toHaveLength(Object.keys(history.left).length + (history.left.c ? 0 : 1));
      await scan();
    }
    for (const name of history.deleted)
      expect((await server.api(`/trash/${ids[name]}/restore`, { method: 'POST' })).status).toBe(200);
    await server.app.drain();
    for (let round = 0; round < 2; round++) {
      await expectTracks({ ...history.left, ...history.restored });
      await scan();
    }
  });

  test.each(['a', 'd'])(
    'of two that were deleted in one place the file is of the last one (%s restored first)',
    async (first) => {
      await begin({ deleted: ['a'] });
      writeFileSync(at('a'), song('d'));
      await scan();
      ids.d = idAt(await allTracks(server), 'a');
      await server.api(`/tracks/${ids.d}`, { method: 'DELETE' });
      for (const name of first === 'a' ? (['a', 'd'] as const) : (['d', 'a'] as const))
        expect((await server.api(`/trash/${ids[name]}/restore`, { method: 'POST' })).status).toBe(200);
      await server.app.drain();
      for (let round = 0; round < 2; round++) {
        await expectTracks({ a: null, b: 'b', c: 'c', d: 'a' });
        expect(await allTracks(server)).toHaveLength(4);
        await scan();
      }
    },
  );

  test.each(['x', 'b'])('what is asked for again comes back as itself from %s.mp3', async (place) => {
    await begin({ deleted: ['a'] });
    move('a', place);
    const { body: job } = await server.api<{ id: number }>('/sources/local_folder/scan?restore=true&dry_run=true', {
      method: 'POST',
    });
    await server.app.drain();
    const tried = (await server.api<{ result: { added: number; files: number } }>(`/jobs/${job.id}`)).body.result;
    expect(tried).toMatchObject({ added: 1, files: place === 'x' ? 3 : 2 });
    await scan('?restore=true');
    await expectTracks({ a: place, b: place === 'b' ? null : 'b', c: 'c' });
    expect(readFileSync(at(place))).toEqual(song('a'));
    expect(await allTracks(server)).toHaveLength(3);
  });
});
