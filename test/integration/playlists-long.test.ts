// Long playlists: a change writes rows in proportion to the change, not to the length of the list. Rows are counted,
// because their number does not vary.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlaylistId, TrackId, UserId } from '../../server/db/ids.ts';
import { createPlaylistService, type PlaylistService } from '../../server/playlists/service.ts';
import { createSongMatcher } from '../../server/playlists/song-match.ts';
import { openLibraryServices } from '../support/library-services.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

/** Exceeds several batches in which a list is written. */
const LONG_PLAYLIST_SIZE = 4_000;

let temp: TempDatabase;
let user: UserId;
let tracks: TrackId[];
let playlists: PlaylistService;

beforeAll(() => {
  temp = openTempDatabase();
  const sample = makeSampleLibrary(temp.db, { artists: 10, albums: 10, tracks: 100 }, 2);
  [user] = sample.users as [UserId];
  tracks = sample.tracks.map(({ id }) => id);
  const { db } = temp;
  playlists = createPlaylistService({
    db,
    now: () => new Date(),
    library: openLibraryServices(db).library,
    songs: createSongMatcher({ db }),
    events: { publish: () => {} },
    smart: { find: () => Promise.reject(new Error('there are no smart playlists here')) },
  });
});
afterAll(() => temp.close());

const listTrackIds = (count: number): TrackId[] =>
  Array.from({ length: count }, (_, n) => tracks[n % tracks.length] as TrackId);
const createPlaylist = async (count: number): Promise<PlaylistId> =>
  (await playlists.create(user, { name: 'x', trackIds: listTrackIds(count) })).id;
const entryIds = (id: PlaylistId): number[] =>
  temp.db.$client
    .prepare<[number], number>('SELECT id FROM playlist_entries WHERE playlist_id = ? ORDER BY position')
    .pluck()
    .all(id);
const countRows = (table: string, id: PlaylistId): number =>
  Number(temp.db.$client.prepare(`SELECT count(*) FROM ${table} WHERE playlist_id = ?`).pluck().get(id));

/** Returns the number of rows that some work inserts, changes or deletes, including by triggers. */
async function countWrittenRows(act: () => unknown): Promise<number> {
  const total = temp.db.$client.prepare<[], number>('SELECT total_changes()').pluck();
  const previousTotal = total.get() ?? 0;
  await act();
  return (total.get() ?? 0) - previousTotal;
}

const PLAYLIST_CHANGES: [string, (id: PlaylistId, entries: number[]) => unknown][] = [
  ['adding a track at the end', (id) => playlists.addTracks(user, id, { trackIds: [tracks[0] as TrackId] })],
  [
    'adding a track in the middle',
    (id, entries) => playlists.addTracks(user, id, { trackIds: [tracks[0] as TrackId], position: entries.length / 2 }),
  ],
  ['taking one out', (id, entries) => playlists.removeEntries(user, id, { entryIds: [entries[3] as number] })],
  [
    'moving one to the end',
    (id, entries) => playlists.moveEntries(user, id, { entryIds: [entries[0] as number], before: null }),
  ],
  [
    'naming a whole order in which one was dragged',
    (id, entries) => playlists.reorder(user, id, [...entries.slice(1), entries[0] as number]),
  ],
  [
    'sending all tracks with one more',
    (id, entries) =>
      playlists.replaceTracks(user, id, [
        ...Array.from(entries, (_, n) => tracks[n % tracks.length] as TrackId),
        tracks[5] as TrackId,
      ]),
  ],
  [
    'going back to an earlier version',
    async (id) => {
      const { version } = await playlists.removeEntries(user, id, { entryIds: entryIds(id).slice(1, 3) });
      return playlists.restore(user, id, { version: version - 1 });
    },
  ],
  [
    'removing by index and adding',
    (id) => playlists.edit(user, id, { removeIndexes: [2], addTrackIds: [tracks[1] as TrackId] }),
  ],
];

test.each(PLAYLIST_CHANGES)('%s writes as much in a long list as in a short one', async (_, change) => {
  const [shortPlaylist, longPlaylist] = [await createPlaylist(10), await createPlaylist(LONG_PLAYLIST_SIZE)];
  const [shortEntries, longEntries] = [shortPlaylist, longPlaylist].map((id) => [id, entryIds(id)] as const) as [
    readonly [PlaylistId, number[]],
    readonly [PlaylistId, number[]],
  ];
  expect(await countWrittenRows(() => change(...longEntries))).toBe(
    await countWrittenRows(() => change(...shortEntries)),
  );
});

test('a thousand single additions keep one row each, and every version is there', async () => {
  const id = await createPlaylist(0);
  temp.db.$client.exec('BEGIN'); // the transaction flushes to disk once instead of 1,000 times
  for (let n = 0; n < 1_000; n++) await playlists.addTracks(user, id, { trackIds: [tracks[n % 100] as TrackId] });
  temp.db.$client.exec('COMMIT');
  expect(
    ['playlist_entries', 'playlist_past_entries', 'playlist_versions'].map((table) => countRows(table, id)),
  ).toEqual([1_000, 0, 1_001]);
  const versionEntries = playlists.versionEntries(user, id, 501, { limit: 200, offset: 400 });
  expect(versionEntries.total).toBe(500);
  expect(versionEntries.items.map(({ trackId }) => trackId)).toEqual(tracks);
});

test('saving a list from a client creates one version', async () => {
  const id = await createPlaylist(4);
  const previousEntryIds = entryIds(id);
  const replacedPlaylist = await playlists.replaceTracks(user, id, [
    tracks[3],
    tracks[9],
    tracks[0],
    tracks[9],
  ] as TrackId[]);
  expect([replacedPlaylist.version, replacedPlaylist.trackCount]).toEqual([2, 4]);
  expect(entryIds(id).filter((entry) => previousEntryIds.includes(entry))).toEqual([
    previousEntryIds[3],
    previousEntryIds[0],
  ]);
  const editedPlaylist = await playlists.edit(user, id, {
    name: 'Renamed',
    removeIndexes: [0, 1, 1, 99],
    addTrackIds: [tracks[7] as TrackId],
  });
  expect([editedPlaylist.name, editedPlaylist.version, editedPlaylist.trackCount]).toEqual(['Renamed', 3, 3]);
  expect(
    playlists
      .listVersions(user, id, { limit: 9, offset: 0 })
      .items.map(({ change, added, removed }) => [change, added, removed]),
  ).toEqual([
    ['replace', 1, 2],
    ['replace', 2, 2],
    ['create', 4, 0],
  ]);
  expect(await playlists.edit(user, id, { removeIndexes: [0, 1, 2] })).toMatchObject({
    version: 4,
    trackCount: 0,
    durationMs: 0,
  });
});

test('pages and look-ups in long lists use an index', () => {
  const plan = (sql: string): string =>
    temp.db.$client
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
      .join('\n');
  const page = plan(
    'SELECT e.id, e.track_id, e.position, e.added_at FROM playlist_entries e WHERE e.playlist_id = 1 ORDER BY e.position, e.id LIMIT 50 OFFSET 100',
  );
  expect(page).toContain('playlist_entries_position');
  expect(page).not.toContain('TEMP B-TREE');
  expect(plan('SELECT 1 FROM playlist_past_entries WHERE track_id = 5')).toContain('playlist_past_entries_track_id');
});

test('a long list is written in parts, and is one version with all of it', async () => {
  const id = await createPlaylist(3_000);
  const addition = await playlists.addTracks(user, id, { trackIds: listTrackIds(2_000), position: 5 });
  expect([addition.version, addition.trackCount]).toEqual([2, 5_000]);
  const otherTrackIds = listTrackIds(4_000).toReversed();
  const replacedPlaylist = await playlists.replaceTracks(user, id, otherTrackIds);
  expect([replacedPlaylist.version, replacedPlaylist.trackCount]).toEqual([3, 4_000]);
  expect(await contents(id)).toEqual(otherTrackIds);
  const reversedPlaylist = await playlists.reorder(user, id, entryIds(id).toReversed());
  expect(reversedPlaylist.version).toBe(4);
  expect(await contents(id)).toEqual(otherTrackIds.toReversed());
  const { playlist } = await playlists.restore(user, id, { version: 2 });
  expect([playlist.version, playlist.trackCount]).toEqual([5, 5_000]);
  expect(await contents(id)).toEqual([...listTrackIds(5), ...listTrackIds(2_000), ...listTrackIds(3_000).slice(5)]);
  const emptiedPlaylist = await playlists.removeEntries(user, id, { entryIds: entryIds(id) });
  expect([emptiedPlaylist.version, emptiedPlaylist.trackCount]).toEqual([6, 0]);
  expect(
    playlists
      .listVersions(user, id, { limit: 9, offset: 0 })
      .items.map(({ version, trackCount }) => [version, trackCount]),
  ).toEqual([
    [6, 0],
    [5, 5_000],
    [4, 4_000],
    [3, 4_000],
    [2, 5_000],
    [1, 3_000],
  ]);
});

async function contents(id: PlaylistId): Promise<number[]> {
  const ids: number[] = [];
  for await (const part of playlists.allEntries(user, await playlists.get(user, id)))
    for (const { track } of part) ids.push(track.id);
  return ids;
}

test('a list without gaps gets new ones in steps, and every version keeps its order', async () => {
  const id = await createPlaylist(1_200);
  const firstEntryIds = entryIds(id);
  temp.db.$client.exec('BEGIN'); // the transaction flushes to disk once
  const wantedIds = [...firstEntryIds];
  for (let n = 0; n < 30; n++) {
    await playlists.addTracks(user, id, { trackIds: [tracks[n % 100] as TrackId], position: 600 });
    const addedEntry = entryIds(id)[600] as number;
    wantedIds.splice(600, 0, addedEntry);
  }
  await playlists.removeEntries(user, id, { entryIds: [firstEntryIds[700] as number] });
  wantedIds.splice(wantedIds.indexOf(firstEntryIds[700] as number), 1);
  for (let n = 0; n < 20; n++) {
    await playlists.moveEntries(user, id, { entryIds: [wantedIds[10 + n] as number], before: wantedIds[5] as number });
    wantedIds.splice(5, 0, ...wantedIds.splice(10 + n, 1));
  }
  temp.db.$client.exec('COMMIT');
  expect(entryIds(id)).toEqual(wantedIds);
  const versionEntries = playlists.versionEntries(user, id, 1, { limit: 1_200, offset: 0 });
  expect(versionEntries.items.map((entry) => entry.id)).toEqual(firstEntryIds);
  await playlists.reorder(user, id, wantedIds.toReversed());
  expect(entryIds(id)).toEqual(wantedIds.toReversed());
});

test('the past of a list that was emptied keeps its order when the list has no gaps again', async () => {
  const id = await createPlaylist(600);
  const firstEntryIds = entryIds(id);
  const addInTheMiddle = async (): Promise<void> => {
    for (let n = 0; n < 35; n++)
      await playlists.addTracks(user, id, { trackIds: [tracks[n] as TrackId], position: 40 });
  };
  temp.db.$client.exec('BEGIN'); // the transaction flushes to disk once
  await addInTheMiddle();
  await playlists.removeEntries(user, id, { allBut: [] });
  await playlists.addTracks(user, id, { trackIds: listTrackIds(100) });
  await addInTheMiddle();
  temp.db.$client.exec('COMMIT');
  expect(entryIds(id)).toHaveLength(135);
  const versionEntries = playlists.versionEntries(user, id, 1, { limit: 600, offset: 0 });
  expect(versionEntries.items.map((entry) => entry.id)).toEqual(firstEntryIds);
});
