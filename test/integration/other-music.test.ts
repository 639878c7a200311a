// Sequences of changes that a reader of the manuals tried: other music in the place of a track, deleted tracks whose
// folder is renamed, and backups of libraries with merged tracks.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TrackId } from '../../server/db/ids.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { createMerges } from '../../server/library/merges/merges.ts';
import { createTrackMerge } from '../../server/library/merges/track-merge.ts';
import { createLikeMoves } from '../../server/likes/like-moves.ts';
import { id3, id3Frame, listInfo, silentMp3, utf8Text, wav } from '../support/audio-bytes.ts';
import { makeBackup } from '../support/backups.ts';
import { restoreFolder } from '../support/backup-folders.ts';
import { openLibraryServices } from '../support/library-services.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

let base: string;
let server: TestServer;
const pathOf = (path: string): string => join(base, 'music', path);

/** Writes an MP3; files of different lengths are different recordings. */
function writeSong(path: string, length: number, artist: string, album: string, title = `Song ${length}`): void {
  mkdirSync(dirname(pathOf(path)), { recursive: true });
  const text = (name: string, value: string) => id3Frame(name, utf8Text(value));
  writeFileSync(
    pathOf(path),
    Buffer.concat([id3([text('TIT2', title), text('TPE1', artist), text('TALB', album)]), silentMp3(length)]),
  );
}
async function scan(): Promise<void> {
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
}
const trackAt = async (path: string): Promise<TrackOut | undefined> =>
  (await allTracks(server)).find(({ source_id }) => source_id === path);
/**
 * Returns functions that rate and like tracks and add them to a playlist, and that read title, rating and number of
 * entries.
 */
async function openRatings() {
  const { body } = await server.api<{ id: number }>('/playlists', { method: 'POST', body: { name: 'P' } });
  const entries = `/playlists/${body.id}/tracks`;
  return {
    async rate(path: string, rating: number): Promise<void> {
      const id = (await trackAt(path))?.id;
      const state = { item_type: 'track', item_id: id, liked: rating > 3, rating };
      await server.api('/likes', { method: 'POST', body: state });
      await server.api(entries, { method: 'POST', body: { track_ids: [id] } });
    },
    async userDataOf(path: string): Promise<unknown[]> {
      const track = await trackAt(path);
      const state = await server.api<{ rating: number }[]>(`/likes/state?item_type=track&item_id=${track?.id}`);
      const { items } = (await server.api<{ items: { track: TrackOut }[] }>(entries)).body;
      return [track?.title, state.body[0]?.rating, items.filter((entry) => entry.track.id === track?.id).length];
    },
  };
}
async function likeNamesOf(track: TrackOut | undefined): Promise<void> {
  for (const [item_type, item_id] of [
    ['album', track?.album_id],
    ['artist', track?.artist_id],
  ])
    await server.api('/likes', { method: 'POST', body: { item_type, item_id, liked: true, rating: 4 } });
  await server.api(`/radio/never/artists/${track?.artist_id}`, { method: 'PUT' });
}
/** Returns for a track's album and artist whether each is liked, its rating, and whether radios exclude the artist. */
async function saidOf(path: string): Promise<unknown[]> {
  const track = await trackAt(path);
  const state = async (type: string, id: number | null | undefined) =>
    (await server.api<{ liked: boolean; rating: number }[]>(`/likes/state?item_type=${type}&item_id=${id}`)).body[0];
  const [album, artist] = [await state('album', track?.album_id), await state('artist', track?.artist_id)];
  const excludedArtists = (await server.api<{ artists: { id: number }[] }>('/radio/never')).body.artists;
  return [
    album?.liked,
    album?.rating,
    artist?.liked,
    artist?.rating,
    excludedArtists.some(({ id }) => id === track?.artist_id),
  ];
}
/** Adds and likes a track at A/0.mp3, and deletes it; returns its id. Another track of its album stays. */
async function addLikedAndDelete(length: number, title: string): Promise<number> {
  writeSong('A/0.mp3', length, 'Ann', 'Alpha', title);
  writeSong('A/9.mp3', 69, 'Ann', 'Alpha');
  await scan();
  const { id } = (await trackAt('A/0.mp3')) as TrackOut;
  await server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: id, liked: true } });
  await server.api(`/tracks/${id}`, { method: 'DELETE' });
  return id;
}
const LIKED_STATE = [true, 4, true, 4];
const EMPTY_STATE = [false, 0, false, 0, false];

describe.each(['reference', 'copy'])('in %s mode', (mode) => {
  beforeEach(async () => {
    base = mkdtempSync(join(tmpdir(), 'tonearm-other-music-'));
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

  test('likes of an album and artist do not move to other music in its place', async () => {
    writeSong('A/0.mp3', 60, 'Ann', 'Alpha');
    writeSong('B/0.mp3', 61, 'Ben', 'Beta');
    await scan();
    await likeNamesOf(await trackAt('A/0.mp3'));
    writeSong('A/0.mp3', 62, 'Ben', 'Beta');
    await scan();
    expect(await saidOf('B/0.mp3')).toEqual(EMPTY_STATE);
    writeSong('C/0.mp3', 60, 'Ann', 'Alpha');
    await scan();
    expect((await saidOf('C/0.mp3')).slice(0, 4)).toEqual(LIKED_STATE);
    expect(await saidOf('B/0.mp3')).toEqual(EMPTY_STATE);
  });

  test('likes of other music in the place stay with that music when the track is back', async () => {
    writeSong('A/0.mp3', 60, 'Ann', 'Alpha');
    writeSong('A/1.mp3', 61, 'Ann', 'Alpha');
    await scan();
    writeSong('A/0.mp3', 62, 'New', 'Novum');
    await scan();
    await likeNamesOf(await trackAt('A/0.mp3'));
    writeSong('B/0.mp3', 60, 'Ann', 'Alpha');
    await scan();
    expect((await saidOf('A/0.mp3')).slice(0, 4)).toEqual(LIKED_STATE);
    expect(await saidOf('B/0.mp3')).toEqual(EMPTY_STATE);
    expect(await saidOf('A/1.mp3')).toEqual(EMPTY_STATE);
  });

  // each row: how the other music leaves A/0.mp3, the path where the track returns, the path of the other music, and
  // the change on disk
  test.each<[string, string, string, () => void | Promise<void>]>([
    ['moved on', 'A/0.mp3', 'A/q.mp3', () => renameSync(pathOf('A/0.mp3'), pathOf('A/q.mp3'))],
    ['moved on, scanned', 'A/0.mp3', 'A/q.mp3', () => (renameSync(pathOf('A/0.mp3'), pathOf('A/q.mp3')), scan())],
    ['copied', 'A/0.mp3', 'A/q.mp3', () => copyFileSync(pathOf('A/0.mp3'), pathOf('A/q.mp3'))],
    ['copied, scanned', 'A/0.mp3', 'A/q.mp3', () => (copyFileSync(pathOf('A/0.mp3'), pathOf('A/q.mp3')), scan())],
    [
      'copied, and removed later',
      'A/0.mp3',
      'A/q.mp3',
      async () => {
        copyFileSync(pathOf('A/0.mp3'), pathOf('A/q.mp3'));
        await scan();
        rmSync(pathOf('A/0.mp3'));
        await scan();
      },
    ],
    [
      'copied, and overwritten by a third',
      'R/0.mp3',
      'A/q.mp3',
      async () => {
        copyFileSync(pathOf('A/0.mp3'), pathOf('A/q.mp3'));
        await scan();
        writeSong('A/0.mp3', 63, 'Cy', 'Gamma');
        await scan();
      },
    ],
  ])('likes and ratings of the other music follow it when it is %s', async (_, returnFile, moveFile, moveOn) => {
    const { rate, userDataOf: getRatings } = await openRatings();
    writeSong('A/0.mp3', 60, 'Ann', 'Alpha');
    writeSong('A/9.mp3', 69, 'Ann', 'Alpha');
    await scan();
    await rate('A/0.mp3', 2);
    writeSong('A/0.mp3', 62, 'Ben', 'Beta');
    await scan();
    await rate('A/0.mp3', 5);
    await moveOn();
    writeSong(returnFile, 60, 'Ann', 'Alpha');
    await scan();
    expect([await getRatings(returnFile), await getRatings(moveFile)]).toEqual([
      ['Song 60', 2, 1],
      ['Song 62', 5, 1],
    ]);
  });

  test.each<[string, string, () => void | Promise<void>]>([
    ['removed, and its own comes elsewhere', 'R/0.mp3', () => (rmSync(pathOf('A/0.mp3')), scan())],
    ['written over by its own', 'A/0.mp3', () => {}],
    [
      'written over by a third, and its own comes elsewhere',
      'R/0.mp3',
      async () => {
        writeSong('A/0.mp3', 63, 'Cy', 'Gamma');
        await scan();
      },
    ],
  ])('likes and ratings of the other music wait for it when it is %s', async (_, returnFile, change) => {
    const { rate, userDataOf: getRatings } = await openRatings();
    writeSong('A/0.mp3', 60, 'Ann', 'Alpha');
    writeSong('A/9.mp3', 69, 'Ann', 'Alpha');
    await scan();
    await rate('A/0.mp3', 2);
    writeSong('A/0.mp3', 62, 'Ben', 'Beta');
    await scan();
    await rate('A/0.mp3', 5);
    await change();
    writeSong(returnFile, 60, 'Ann', 'Alpha');
    await scan();
    expect(await getRatings(returnFile)).toEqual(['Song 60', 2, 1]);
    expect((await allTracks(server)).find(({ title }) => title === 'Song 62')).toMatchObject({
      liked: true,
      availability: mode === 'copy' ? 'available' : 'missing',
    });
    writeSong('W/0.mp3', 62, 'Ben', 'Beta');
    await scan();
    await scan();
    expect([await getRatings(returnFile), await getRatings('W/0.mp3')]).toEqual([
      ['Song 60', 2, 1],
      ['Song 62', 5, 1],
    ]);
    expect((await allTracks(server)).filter(({ title }) => title === 'Song 62')).toHaveLength(1);
  });

  test.each(['lyrics', 'never'])(
    'a track of which a person said %s does not become a copy in its place',
    async (editedPart) => {
      writeSong('A/0.mp3', 60, 'Ann', 'Alpha');
      writeSong('A/1.mp3', 61, 'Ann', 'Alpha');
      await scan();
      const id = (await trackAt('A/0.mp3'))?.id;
      if (editedPart === 'lyrics')
        await server.api(`/tracks/${id}/lyrics`, { method: 'PUT', body: { text: 'La la la' } });
      else await server.api(`/radio/never/tracks/${id}`, { method: 'PUT' });
      copyFileSync(pathOf('A/1.mp3'), pathOf('A/0.mp3'));
      await scan();
      expect((await trackAt('A/0.mp3'))?.id).not.toBe(id);
      expect((await server.api<TrackOut>(`/tracks/${id}`)).body.title).toBe('Song 60');
    },
  );

  test('other music without likes or plays leaves no track when the original file is back', async () => {
    writeSong('A/0.mp3', 60, 'Ann', 'Alpha');
    writeSong('A/9.mp3', 69, 'Ann', 'Alpha');
    await scan();
    writeSong('A/0.mp3', 62, 'Ben', 'Beta');
    await scan();
    writeSong('A/0.mp3', 60, 'Ann', 'Alpha');
    await scan();
    const titles = (await allTracks(server)).map(({ title }) => title).toSorted();
    // the library keeps copied music
    expect(titles).toEqual(mode === 'copy' ? ['Song 60', 'Song 62', 'Song 69'] : ['Song 60', 'Song 69']);
  });

  test('a track that was restored from the trash is recognized when its folder is renamed', async () => {
    for (const n of [0, 1, 2]) writeSong(`A/${n}.mp3`, 60 + n, 'Ann', 'Alpha');
    await scan();
    const track = await trackAt('A/0.mp3');
    await server.api(`/tracks/${track?.id}`, { method: 'DELETE' });
    await server.api(`/trash/${track?.id}/restore`, { method: 'POST' });
    renameSync(pathOf('A'), pathOf('B'));
    await scan();
    expect(await trackAt('B/0.mp3')).toMatchObject({ id: track?.id, availability: 'available' });
    await scan();
    expect(await allTracks(server)).toHaveLength(3);
  });

  test.each(['a field', 'everything'])(
    'undoing an edit of %s restores the current tags of the file',
    async (editedPart) => {
      writeSong('A/0.mp3', 60, 'Ann', 'Alpha', 'Before');
      await scan();
      const { id } = (await trackAt('A/0.mp3')) as TrackOut;
      const edit =
        editedPart === 'a field'
          ? await server.api(`/tracks/${id}`, { method: 'PATCH', body: { title: 'Edited' } })
          : await server.api(`/tracks/${id}/metadata`, {
              method: 'PUT',
              body: { title: 'Edited', artist: 'Ed', album: 'Edition' },
            });
      expect(edit.status).toBe(200);
      writeSong('A/0.mp3', 60, 'Ann', 'Later', 'Since');
      await scan();
      expect((await trackAt('A/0.mp3'))?.title).toBe('Edited');
      const [lastEdit] = (await server.api<{ id: number; changes: unknown[] }[]>(`/tracks/${id}/edits`)).body;
      expect(lastEdit?.changes).toContainEqual({ field: 'title', before: 'Since', after: 'Edited' });
      expect((await server.api(`/tracks/${id}/edits/${lastEdit?.id}/undo`, { method: 'POST' })).status).toBe(200);
      expect(await trackAt('A/0.mp3')).toMatchObject({ title: 'Since', artist_name: 'Ann', album_title: 'Later' });
    },
  );

  describe('a track of which everything was set, whose file was retagged, and whose edits were undone', () => {
    interface Edit {
      id: number;
      changes: { field: string; before: string | null; after: string | null }[];
    }
    let id: number;
    const getTrack = async (): Promise<TrackOut> => (await server.api<TrackOut>(`/tracks/${id}`)).body;
    const edits = async (): Promise<Edit[]> => (await server.api<Edit[]>(`/tracks/${id}/edits`)).body;
    const undo = async (edit: Edit | undefined): Promise<void> =>
      expect((await server.api(`/tracks/${id}/edits/${edit?.id}/undo`, { method: 'POST' })).status).toBe(200);
    const putMetadata = (body: object) => server.api(`/tracks/${id}/metadata`, { method: 'PUT', body });
    const patch = (body: object) => server.api(`/tracks/${id}`, { method: 'PATCH', body });
    async function retag(artist: string, album: string, title: string): Promise<void> {
      writeSong('A/0.mp3', 60, artist, album, title);
      await scan();
    }
    async function expectReadAgain(): Promise<void> {
      expect((await getTrack()).metadata_status).not.toBe('manual');
      await retag('Cid', 'Gamma', 'Third');
      expect(await getTrack()).toMatchObject({ title: 'Third', artist_name: 'Cid', album_title: 'Gamma' });
    }
    beforeEach(async () => {
      await retag('Ann', 'Alpha', 'Before');
      id = (await trackAt('A/0.mp3'))?.id ?? 0;
    });

    test.each(['Before', 'Since'])('has the tags of its file, with the title “%s” in it', async (title) => {
      await putMetadata({ title: 'Mine' });
      await retag('Ben', 'Beta', title);
      expect(await getTrack()).toMatchObject({ title: 'Mine', artist_name: 'Ann', metadata_status: 'manual' });
      await undo((await edits())[0]);
      expect(await getTrack()).toMatchObject({ title, artist_name: 'Ben', album_title: 'Beta' });
      const [undoneEdit] = await edits();
      expect(undoneEdit?.changes).toEqual([{ field: 'title', before: 'Mine', after: title }]);
      await undo(undoneEdit);
      expect(await getTrack()).toMatchObject({ title: 'Mine', artist_name: 'Ben', metadata_status: 'manual' });
      await undo((await edits())[0]);
      await expectReadAgain();
    });

    test('has them also if the edit set a field to its previous value', async () => {
      await putMetadata({ title: 'Mine', artist: 'Ann', album: 'Alpha' });
      await retag('Ben', 'Beta', 'Since');
      await undo((await edits())[0]);
      expect(await getTrack()).toMatchObject({ title: 'Since', artist_name: 'Ben', album_title: 'Beta' });
      await expectReadAgain();
    });

    test.each(['the first edit first', 'the last edit first'])('has them when both are undone, %s', async (order) => {
      await putMetadata({ title: 'Mine' });
      await patch({ year: 1999 });
      await retag('Ben', 'Beta', 'Since');
      const [year, title] = await edits();
      await undo(order === 'the first edit first' ? title : year);
      expect(await getTrack()).toMatchObject({ metadata_status: 'manual' });
      await undo(order === 'the first edit first' ? year : title);
      expect(await getTrack()).toMatchObject({ title: 'Since', artist_name: 'Ben', album_title: 'Beta', year: null });
      await expectReadAgain();
    });

    test('keeps a field that was edited before', async () => {
      await patch({ year: 1999 });
      await putMetadata({ title: 'Mine' });
      await retag('Ben', 'Beta', 'Since');
      await undo((await edits())[0]);
      expect(await getTrack()).toMatchObject({ title: 'Since', artist_name: 'Ben', year: 1999 });
      await expectReadAgain();
      expect((await getTrack()).year).toBe(1999);
    });
  });

  test('a deleted track whose place has other music is restored without audio, and found when its own file is back', async () => {
    const id = await addLikedAndDelete(60, 'Before');
    writeSong('A/0.mp3', 62, 'Ben', 'Beta');
    await scan();
    expect((await server.api(`/trash/${id}/restore`, { method: 'POST' })).status).toBe(200);
    const listTracksTitled = async (title: string) =>
      (await allTracks(server)).filter((track) => track.title === title);
    expect(await listTracksTitled('Before')).toMatchObject([
      { id, availability: mode === 'copy' ? 'available' : 'missing' },
    ]);
    expect(await trackAt('A/0.mp3')).toMatchObject({ title: 'Song 62' });
    writeSong('B/0.mp3', 60, 'Ann', 'Alpha', 'Retagged');
    await scan();
    expect(await trackAt('B/0.mp3')).toMatchObject({ id, title: 'Retagged', liked: true, availability: 'available' });
    expect(await allTracks(server)).toHaveLength(3);
  });

  test('a restored track says whether its file is there, without a scan', async () => {
    const files = ['here', 'gone', 'scanned', 'back'].map((name) => `A/${name}.mp3`);
    for (const [i, file] of files.entries()) writeSong(file, 60 + i, 'Ann', 'Alpha');
    writeSong('A/9.mp3', 69, 'Ann', 'Alpha');
    await scan();
    const ids = await Promise.all(files.map(async (file) => (await trackAt(file))?.id ?? 0));
    const [remainingId, deletedId, ...otherIds] = ids;
    const availabilities = (): Promise<string[]> =>
      Promise.all(ids.map(async (id) => (await server.api<TrackOut>(`/tracks/${id}`)).body.availability));
    const restore = async (id: number | undefined): Promise<string> =>
      (await server.api<TrackOut>(`/trash/${id}/restore`, { method: 'POST' })).body.availability;
    const availabilityAfter = mode === 'copy' ? 'available' : 'missing'; // in copy mode the library has a copy
    renameSync(pathOf('A/back.mp3'), pathOf('aside.txt'));
    await scan();
    expect(await availabilities()).toEqual(['available', 'available', 'available', availabilityAfter]);
    for (const id of ids) await server.api(`/tracks/${id}`, { method: 'DELETE' });
    rmSync(pathOf('A/scanned.mp3'));
    await scan();
    rmSync(pathOf('A/gone.mp3'));
    renameSync(pathOf('aside.txt'), pathOf('A/back.mp3'));
    expect([await restore(remainingId), await restore(deletedId)]).toEqual(['available', availabilityAfter]);
    const { body } = await server.api('/trash/restore', { method: 'POST', body: { track_ids: otherIds } });
    expect(body).toEqual({ restored: 2, failed: [] });
    expect(await availabilities()).toEqual(['available', availabilityAfter, availabilityAfter, 'available']);
    writeSong('A/gone.mp3', 61, 'Ann', 'Alpha');
    await scan();
    expect(await availabilities()).toEqual(['available', 'available', availabilityAfter, 'available']);
  });

  test('a track that is restored while its music folder is unreachable is not missing', async () => {
    const id = await addLikedAndDelete(60, 'Before');
    renameSync(join(base, 'music'), join(base, 'away'));
    const { body } = await server.api<TrackOut>(`/trash/${id}/restore`, { method: 'POST' });
    expect(body.availability).not.toBe('missing');
    renameSync(join(base, 'away'), join(base, 'music'));
    expect((await server.api<TrackOut>(`/tracks/${id}`)).body.availability).toBe('available');
  });

  test('a deleted track whose file came back elsewhere is restored with that file', async () => {
    const id = await addLikedAndDelete(60, 'Before');
    writeSong('A/0.mp3', 62, 'Ben', 'Beta');
    writeSong('B/0.mp3', 60, 'Ann', 'Alpha', 'Retagged');
    await scan();
    expect((await server.api(`/trash/${id}/restore`, { method: 'POST' })).status).toBe(200);
    await server.app.drain();
    expect(await trackAt('B/0.mp3')).toMatchObject({ liked: true, availability: 'available' });
    expect(await allTracks(server)).toHaveLength(3);
  });

  test('a deleted track whose file was replaced by a better file is restored with that file', async () => {
    const title = 'Both';
    const silence = listInfo({ INAM: title, IART: 'Ann', IPRD: 'Alpha' });
    const id = await addLikedAndDelete(38, title); // sets the time to a second later
    rmSync(pathOf('A/0.mp3'));
    writeFileSync(pathOf('A/0.wav'), wav(silence));
    await scan();
    expect((await server.api(`/trash/${id}/restore`, { method: 'POST' })).status).toBe(200);
    await server.app.drain();
    await scan();
    await server.app.drain();
    expect(await trackAt('A/0.wav')).toMatchObject({ liked: true, availability: 'available' });
  });

  test.each([true, false])('music stays in the library when other music gets its name (taken out: %s)', async (out) => {
    writeSong('A/0.mp3', 60, 'Ann', 'Alpha', 'First');
    writeSong('A/9.mp3', 69, 'Ann', 'Alpha');
    await scan();
    const { id } = (await trackAt('A/0.mp3')) as TrackOut;
    await server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: id, liked: true } });
    const firstBytes = readFileSync(pathOf('A/0.mp3'));
    if (out) rmSync(pathOf('A/0.mp3'));
    if (out) await scan();
    writeSong('A/0.mp3', 62, 'Ben', 'Beta', 'Second');
    await scan();
    await scan();
    if (mode === 'reference') {
      expect(await trackAt('A/0.mp3')).toMatchObject({ id, title: 'Second' }); // no other track has the first audio
      return;
    }
    expect(await trackAt('A/0.mp3')).toMatchObject({ title: 'Second', liked: false });
    const keptTrack = (await allTracks(server)).find((track) => track.id === id);
    expect(keptTrack).toMatchObject({ title: 'First', liked: true, availability: 'available' });
    const audio = await fetch(`${server.url}/stream/${id}?token=${server.token}`);
    expect(Buffer.from(await audio.arrayBuffer()).equals(firstBytes)).toBe(true);
  });

  test('a file that was scanned while it was written is the same track when it is whole, with tags at its end', async () => {
    const field = (text: string, size: number): Buffer => Buffer.concat([Buffer.from(text), Buffer.alloc(size)], size);
    const tag = Buffer.concat([
      field('TAG', 3),
      ...['Whole', 'Ann', 'Alpha'].map((text) => field(text, 30)),
      field('', 35),
    ]);
    const wholeFile = Buffer.concat([silentMp3(60), tag]);
    mkdirSync(dirname(pathOf('A/slow.mp3')), { recursive: true });
    writeFileSync(pathOf('A/slow.mp3'), wholeFile.subarray(0, wholeFile.length / 2));
    await scan();
    const { id } = (await trackAt('A/slow.mp3')) as TrackOut;
    writeFileSync(pathOf('A/slow.mp3'), wholeFile);
    await scan();
    expect(await trackAt('A/slow.mp3')).toMatchObject({ id, title: 'Whole' });
    expect(await allTracks(server)).toHaveLength(1);
  });

  test('a track is as old as its first file, even if only a copy is left', async () => {
    writeSong('A/0.mp3', 60, 'Ann', 'Alpha');
    await scan();
    const { created_at: since } = (await trackAt('A/0.mp3')) ?? {};
    copyFileSync(pathOf('A/0.mp3'), pathOf('A/copy.mp3'));
    await scan();
    const { created_at: ofCopy } = (await trackAt('A/copy.mp3')) ?? {};
    expect(ofCopy).not.toBe(since);
    rmSync(pathOf('A/0.mp3'));
    await scan();
    expect((await trackAt('A/copy.mp3'))?.created_at).toBe(since);
    const { items } = (await server.api<{ items: { id: number }[] }>('/merges')).body;
    expect((await server.api(`/merges/${items[0]?.id}/undo`, { method: 'POST' })).status).toBe(200);
    expect((await trackAt('A/copy.mp3'))?.created_at).toBe(ofCopy);
  });

  test('a backup of a library with merged tracks is restored', async () => {
    for (const n of [0, 1, 2, 3]) writeSong(`A/${n}.mp3`, 60 + n, 'Ann', 'Alpha');
    await scan();
    copyFileSync(pathOf('A/0.mp3'), pathOf('A/copy.mp3'));
    await scan();
    rmSync(pathOf('A/0.mp3'));
    await scan();
    const { db } = server.app;
    const now = (): Date => new Date();
    const { tracks, trash } = openLibraryServices(db);
    const movers = [createLikeMoves({ db, now }).ofTracks];
    const merges = createMerges({ db, tracks, merge: createTrackMerge({ db, tracks, movers }), movers, trash, now });
    const [firstId, otherId, thirdId] = ['A/1.mp3', 'A/2.mp3', 'A/3.mp3'].map(
      async (path) => (await trackAt(path))?.id,
    );
    merges.replace((await firstId) as TrackId, (await otherId) as TrackId);
    merges.mergeInto((await otherId) as TrackId, (await thirdId) as TrackId, {
      reason: 'duplicate',
      by: null,
      takesFile: false,
    });
    const mergeCount = (await server.api<{ total: number }>('/merges')).body.total;
    expect(mergeCount).toBe(3);
    const backup = join(base, 'backup');
    mkdirSync(backup);
    await makeBackup(server, backup);
    const restoredFolder = join(base, 'restored');
    mkdirSync(restoredFolder);
    await restoreFolder(backup, restoredFolder);
    const secondServer = await startServer({ dir: restoredFolder, env: { LOCAL_MEDIA_WATCH: 'false' } });
    try {
      expect((await secondServer.api<{ total: number }>('/merges')).body.total).toBe(mergeCount);
    } finally {
      await secondServer.close();
    }
  });
});
