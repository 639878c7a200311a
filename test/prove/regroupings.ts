// A library of an earlier version is upgraded and its albums are regrouped, while the process is killed again and
// again. Likes and other data follow the music. Then everything is undone, and equals the earlier state.
import { cpSync, mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { TokenResponse } from '../../server/auth/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { AlbumChangePage, RegroupingPage } from '../../server/library/albums/regrouping-wire.ts';
import { EARLIER_VERSIONS, makeEarlierAlbums, type EarlierVersion } from '../support/earlier-albums.ts';
import { migrationsIn } from '../support/first-release.ts';
import { runUntil } from '../support/killed-commands.ts';
import { spawnServer, type ServerProcess } from '../support/process.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { ADMIN } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Settings without analysis, because the tracks have no audio. */
const SERVER_ENV = { ANALYSIS_ENABLED: 'false', LOG_LEVEL: 'warn' };
const OPEN_COMMAND = ['user', 'list'];
const ALL_ALBUMS = { album_ids: null };

interface Outcome {
  faults: string[];
  tracks: number;
  albums: number;
  changedNames: number;
  kills: number;
}

export async function regroupWithKills({
  version,
  tracks,
  kills,
  seed,
}: {
  version: EarlierVersion;
  tracks: number;
  kills: number;
  seed: number;
}): Promise<Outcome> {
  const base = mkdtempSync(join(tmpdir(), 'tonearm-regroupings-'));
  const [original, upgraded, dir, byItself] = ['original', 'upgraded', 'data', 'by-itself'].map((name) =>
    join(base, name),
  ) as [string, string, string, string];
  const random = seededRandom(seed);
  const copy = (from: string, to: string): void => {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true });
  };
  const faults: string[] = [];
  try {
    const albums = await makeEarlierAlbums(original, version, { tracks, seed });
    const firstState = stateOf(original);
    await upgrade({ original, dir, kills: Math.ceil(kills / 2), random, copy });
    const upgradedState = stateOf(dir);
    faults.push(...differences('the upgrade', firstState, upgradedState));
    copy(dir, upgraded);

    await regroupKilled({ upgraded, dir, kills: Math.floor(kills / 2), random, copy });
    const regroupedState = stateOf(dir);
    faults.push(...faultsOfParts(albums.becomes, regroupedState), ...faultsOfActions(upgradedState, regroupedState));

    copy(upgraded, byItself);
    await regroupByItself(byItself);
    faults.push(...differences('another outcome after a week', partsOf(regroupedState), partsOf(stateOf(byItself))));

    await undoAll(dir);
    faults.push(...differences('undone', upgradedState, withoutSharedCovers(stateOf(dir), upgradedState)));
    return { faults, tracks: albums.tracks, albums: albums.albums, changedNames: albums.changedNames, kills };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

type Copy = (from: string, to: string) => void;

/** Upgrades a data folder: kills the process in the middle of the migrations, and then lets it run once to the end. */
async function upgrade({
  original,
  dir,
  kills,
  random,
  copy,
}: {
  original: string;
  dir: string;
  kills: number;
  random: () => number;
  copy: Copy;
}): Promise<void> {
  copy(original, dir);
  const changesUninterrupted = kills === 0 ? 0 : (await runUntil(dir, OPEN_COMMAND, SERVER_ENV)).changes;
  copy(original, dir);
  for (let killCount = 0; killCount < kills;) {
    const { isKilled } = await runUntil(dir, OPEN_COMMAND, SERVER_ENV, Math.ceil(random() * changesUninterrupted));
    const { appliedCount, totalCount } = migrationsIn(dir);
    if (isKilled && appliedCount < totalCount) killCount++;
    // the kill came too late, so the folder starts again from its original
    if (appliedCount === totalCount) copy(original, dir);
  }
  const { output } = await runUntil(dir, OPEN_COMMAND, SERVER_ENV);
  const { appliedCount, totalCount } = migrationsIn(dir);
  if (appliedCount !== totalCount) throw new Error(`it does not open: ${output}`);
}

/** Starts a server on this folder; returns its API for the administrator. */
async function serve(dir: string) {
  const server: ServerProcess = await spawnServer(['--data-dir', dir, '--port', '0'], SERVER_ENV);
  let token = '';
  async function call<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        connection: 'close',
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
  token = (await call<TokenResponse>('/auth/login', 'POST', ADMIN)).access_token;
  return {
    call,
    kill: (): Promise<unknown> => server.kill(),
    async regroupings(): Promise<JobOut[]> {
      return (await call<{ items: JobOut[] }>('/jobs?task=regroup_albums')).items;
    },
    /** Waits until no job is left. Jobs that were killed twice are put aside, and are requested again. */
    async idle(): Promise<void> {
      for (let isDone = false; !isDone;) {
        const open = await until(
          async () => (await call<{ items: JobOut[] }>('/jobs?limit=200')).items,
          (jobs) => !jobs.some(isOpen),
          { everyMs: 50 },
        );
        const covers = open.find(({ task }) => task === 'cover_task');
        isDone = covers?.is_put_aside !== true;
        if (!isDone) await call(`/jobs/${covers?.id}/retry`, 'POST');
      }
    },
  };
}
type Served = Awaited<ReturnType<typeof serve>>;

const isOpen = ({ status }: JobOut): boolean => status === 'running' || status === 'queued' || status === 'waiting';

/** Requests all changes, unless an interrupted job still makes them. */
async function requestChanges(server: Served): Promise<void> {
  if (!(await server.regroupings()).some(isOpen)) await server.call('/album-changes', 'POST', ALL_ALBUMS);
}

/** Waits until the requested jobs have ended: a job that was killed twice is put aside, and requested again. */
async function finish(server: Served): Promise<void> {
  await server.idle();
  for (let remainingChanges = Infinity; remainingChanges > 0;) {
    await requestChanges(server);
    await server.idle();
    const { total } = await server.call<AlbumChangePage>('/album-changes?limit=1');
    if (total >= remainingChanges) throw new Error(`${total} changes are left, and none was made`);
    remainingChanges = total;
  }
}

async function regroupKilled({
  upgraded,
  dir,
  kills,
  random,
  copy,
}: {
  upgraded: string;
  dir: string;
  kills: number;
  random: () => number;
  copy: Copy;
}): Promise<void> {
  const changesInAll = kills === 0 ? 0 : await changesOfJob(dir);
  copy(upgraded, dir);
  for (let killCount = 0; killCount < kills;) {
    const maxChanges = Math.ceil((random() * changesInAll * 3) / kills);
    const server = await serve(dir);
    let changeCount = 0;
    const watcher = watch(dir, () => changeCount++);
    try {
      await requestChanges(server);
      const open = await until(
        async () => (await server.regroupings()).some(isOpen),
        (isWorking) => !isWorking || changeCount >= maxChanges,
        { everyMs: 1 },
      );
      await server.kill();
      if (open) killCount++;
      else copy(upgraded, dir); // the kill came too late, so the folder starts again from the upgraded one
    } finally {
      watcher.close();
    }
  }
  const server = await serve(dir);
  await finish(server);
  await server.kill();
}

/** Returns the number of changes of the folder's files while the job runs. */
async function changesOfJob(dir: string): Promise<number> {
  const server = await serve(dir);
  let changeCount = 0;
  const watcher = watch(dir, () => changeCount++);
  await finish(server);
  watcher.close();
  await server.kill();
  return changeCount;
}

async function regroupByItself(dir: string): Promise<void> {
  const db = new Database(join(dir, 'tonearm.db'));
  db.prepare('UPDATE album_review SET due_at = ?').run(Date.now() - 1);
  db.close();
  const server = await serve(dir);
  await until(
    () => server.regroupings(),
    (jobs) => jobs.length > 0 && !jobs.some(isOpen),
  );
  await server.idle();
  await server.kill();
}

async function undoAll(dir: string): Promise<void> {
  const server = await serve(dir);
  for (;;) {
    const { items } = await server.call<RegroupingPage>('/album-regroupings?limit=200');
    if (items.length === 0) break;
    for (const { id } of items) await server.call(`/album-regroupings/${id}/undo`, 'POST');
  }
  await server.idle();
  await server.kill();
}

interface AlbumState {
  id: number;
  names: unknown;
  tracks: number[];
  /** Likes and ratings of each user. */
  likesAndRatings: string[];
  /** Times since which each user's like or rating applies. */
  sinceTimes: number[];
  /** Hash of the picture that a user chose. */
  cover: string | null;
}

interface State {
  albums: Record<number, AlbumState>;
  /** All other user data and displayed values, as texts. */
  rest: Record<string, string>;
  /** Rows with wrong counts. */
  counts: string[];
}

/** Queries of rows that regrouping does not change. */
const OTHER_TABLES_SQL: Record<string, string> = {
  tracks: `SELECT id, title, artist_id, artist_name, year, track_number, disc_number, genre, source_id, created_at
    FROM tracks ORDER BY id`,
  artists: 'SELECT id, name, created_at, track_count FROM artists ORDER BY id',
  plays: 'SELECT id, user_id, track_id, played_at, played_ms FROM plays ORDER BY id',
  playlists: 'SELECT id, owner_id, name, track_count, duration_ms FROM playlists ORDER BY id',
  'playlist entries': 'SELECT id, playlist_id, position, track_id, added_at FROM playlist_entries ORDER BY id',
  notes: 'SELECT user_id, track_id, position_ms, comment, created_at FROM bookmarks ORDER BY 1, 2',
  'likes of tracks and artists': `SELECT user_id, item_type, item_id, liked, rating, since FROM like_states
    WHERE item_type <> 'album' ORDER BY 1, 2, 3`,
  'plays of tracks and artists': `SELECT user_id, item_type, item_id, plays, last_played_at FROM play_counts
    WHERE item_type <> 'album' AND plays > 0 ORDER BY 1, 2, 3`,
};
const RADIO_NEVERS_SQL = 'SELECT user_id, track_id, artist_id FROM radio_nevers ORDER BY 1, 2, 3';

/** Queries that return rows only if counts that triggers maintain are wrong. */
const COUNT_CHECKS_SQL: Record<string, string> = {
  'plays of albums': `SELECT item_id FROM play_counts c WHERE item_type = 'album' AND plays <> (SELECT count(*)
      FROM tracks t CROSS JOIN plays p ON p.track_id = t.id WHERE t.album_id = c.item_id AND p.user_id = c.user_id)`,
  'albums that were played': `SELECT DISTINCT t.album_id FROM plays p JOIN tracks t ON t.id = p.track_id
    WHERE NOT EXISTS (SELECT 1 FROM play_counts c WHERE c.user_id = p.user_id AND c.item_type = 'album'
      AND c.item_id = t.album_id)`,
  'tracks of albums': `SELECT id FROM albums a WHERE track_count <> (SELECT count(*) FROM tracks WHERE album_id = a.id)
    OR duration_ms <> (SELECT total(duration_ms) FROM tracks WHERE album_id = a.id)`,
  'added dates of albums': `SELECT id FROM albums a
    WHERE created_at <> (SELECT min(created_at) FROM tracks WHERE album_id = a.id)`,
  'albums of artists': `SELECT id FROM artists x WHERE album_count <>
    (SELECT count(*) FROM albums WHERE artist_id = x.id)`,
  'titles of tracks and albums': `SELECT t.id FROM tracks t JOIN albums a ON a.id = t.album_id
    WHERE t.album_sort <> a.title_sort`,
};

function stateOf(dir: string): State {
  const db = new Database(join(dir, 'tonearm.db'));
  try {
    const hasTable = (table: string): boolean =>
      db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
    const rows = (sql: string): unknown[][] => db.prepare<[], unknown[]>(sql).raw().all();
    const albums: Record<number, AlbumState> = {};
    for (const [id, ...names] of rows(
      `SELECT id, title, title_sort, artist_id, year, genre, is_compilation, release_group_mbid, created_at FROM albums`,
    ))
      albums[Number(id)] = { id: Number(id), names, tracks: [], likesAndRatings: [], sinceTimes: [], cover: null };
    for (const [id, album] of rows('SELECT id, album_id FROM tracks ORDER BY id'))
      albums[Number(album)]?.tracks.push(Number(id));
    for (const [user, id, liked, rating, since] of rows(
      `SELECT user_id, item_id, liked, rating, since FROM like_states
        WHERE item_type = 'album' AND (liked = 1 OR rating > 0) ORDER BY user_id, item_id`,
    )) {
      albums[Number(id)]?.likesAndRatings.push(`${String(user)}: ${String(liked)}, ${String(rating)}`);
      albums[Number(id)]?.sinceTimes.push(Number(since));
    }
    for (const [id, etag] of rows("SELECT album_id, etag FROM album_covers WHERE origin = 'manual'")) {
      const album = albums[Number(id)];
      if (album) album.cover = String(etag);
    }
    const otherTables = Object.fromEntries(
      Object.entries(
        hasTable('radio_nevers') ? { ...OTHER_TABLES_SQL, nevers: RADIO_NEVERS_SQL } : OTHER_TABLES_SQL,
      ).map(([name, sql]) => [name, JSON.stringify(rows(sql))]),
    );
    const counts = Object.entries(COUNT_CHECKS_SQL).flatMap(([name, sql]) => {
      const wrongRows = rows(sql);
      return wrongRows.length === 0 ? [] : [`${name} are wrong: ${wrongRows.length}, such as ${String(wrongRows[0])}`];
    });
    return { albums, rest: otherTables, counts };
  } finally {
    db.close();
  }
}

/** Returns the state without album ids, which may differ: which tracks are together, and their user data. */
const partsOf = ({ albums, ...state }: State): State => ({
  ...state,
  albums: Object.fromEntries(Object.values(albums).map((album) => [album.tracks[0] ?? 0, { ...album, id: 0 }])),
});

/**
 * Returns the state without chosen covers that the other album keeps when albums are split again (docs/decisions/0105).
 */
function withoutSharedCovers(state: State, previousState: State): State {
  const chosenCovers = new Set(Object.values(previousState.albums).map(({ cover }) => cover));
  const albums = Object.values(state.albums).map((album) =>
    previousState.albums[album.id]?.cover === null && chosenCovers.has(album.cover) ? { ...album, cover: null } : album,
  );
  return { ...state, albums: Object.fromEntries(albums.map((album) => [album.id, album])) };
}

function differences(moment: string, previousState: State, nextState: State): string[] {
  const faults = nextState.counts.map((text) => `${moment}: ${text}`);
  for (const [name, text] of Object.entries(previousState.rest))
    if (nextState.rest[name] !== text) faults.push(`${moment}: ${name} are others`);
  for (const id of new Set([...Object.keys(previousState.albums), ...Object.keys(nextState.albums)].map(Number))) {
    const [albumBefore, albumAfter] = [previousState.albums[id], nextState.albums[id]].map((album) =>
      JSON.stringify(album),
    );
    if (albumBefore !== albumAfter) faults.push(`${moment}: album ${id} was ${albumBefore}, and is ${albumAfter}`);
  }
  return faults;
}

function faultsOfParts(becomes: readonly number[][], { albums }: State): string[] {
  const actualParts = new Set(Object.values(albums).map(({ tracks }) => tracks.join()));
  const expectedParts = becomes.map((tracks) => tracks.toSorted((a, b) => a - b).join());
  return [
    ...expectedParts.filter((tracks) => !actualParts.has(tracks)).map((tracks) => `no album has the tracks ${tracks}`),
    ...(actualParts.size === expectedParts.length
      ? []
      : [`there are ${actualParts.size} albums and not ${expectedParts.length}`]),
  ];
}

/**
 * Returns violations of the rule that data of an album follows most of its tracks; the target album's own data wins.
 */
function faultsOfActions(previousState: State, nextState: State): string[] {
  const faults = differences('regrouped', { ...previousState, albums: {} }, { ...nextState, albums: {} });
  const albumOf = new Map(
    Object.values(nextState.albums).flatMap(({ id, tracks }) => tracks.map((track) => [track, id])),
  );
  const sources = new Map<number, AlbumState[]>();
  for (const album of Object.values(previousState.albums)) {
    const parts = Map.groupBy(album.tracks, (track) => albumOf.get(track));
    const maxTracks = Math.max(...[...parts.values()].map(({ length }) => length));
    const heirs = [...parts].filter(([, tracks]) => tracks.length === maxTracks).map(([id]) => id ?? 0);
    const heir = heirs.includes(album.id) ? album.id : heirs[0];
    if (heir !== undefined) sources.set(heir, [...(sources.get(heir) ?? []), album]);
  }
  for (const album of Object.values(nextState.albums)) {
    const from = (sources.get(album.id) ?? []).toSorted(
      (a, b) => Number(b.id === album.id) - Number(a.id === album.id),
    );
    const expectedActions = saidTogether(from);
    if (album.likesAndRatings.join('; ') !== expectedActions)
      faults.push(
        `album ${album.id} has “${album.likesAndRatings.join('; ')}” and not “${expectedActions}” of ${from.map(({ id }) => id).join()}`,
      );
    const cover = from.find((source) => source.cover !== null)?.cover ?? null;
    if (album.cover !== cover) faults.push(`album ${album.id} has the cover ${album.cover} and not ${cover}`);
  }
  return faults;
}

function saidTogether(albums: readonly AlbumState[]): string {
  const byUser = new Map<string, { liked: boolean; rating: number }>();
  for (const text of albums.flatMap(({ likesAndRatings: action }) => action)) {
    const [user = '', liked, rating] = text.split(/: |, /);
    const entry = byUser.get(user);
    byUser.set(user, { liked: entry?.liked === true || liked === '1', rating: entry?.rating || Number(rating) });
  }
  return [...byUser]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([user, { liked, rating }]) => `${user}: ${Number(liked)}, ${rating}`)
    .join('; ');
}

export async function proveRegroupings({ seed, runs: kills = 20 }: { seed: number; runs: number | undefined }) {
  let isProved = true;
  for (const version of EARLIER_VERSIONS) {
    const outcome = await regroupWithKills({ version, tracks: 20_000, kills, seed });
    const { faults, tracks, albums, changedNames } = outcome;
    for (const fault of faults.slice(0, 50)) console.log(fault);
    console.log(
      `${version}: ${tracks} tracks in ${albums} albums, ${changedNames} names grouped otherwise, ` +
        `${outcome.kills} kills: ${faults.length} faults`,
    );
    isProved &&= faults.length === 0;
  }
  return isProved;
}
