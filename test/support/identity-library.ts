// A music folder with a part for each row of the identity table, and a server for it: every track gets a play, a like
// and a playlist entry, and after scans each row reports what is not where it should be.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { TrackOut } from '../../server/library/wire.ts';
import { filesOf, inFormat, layOut, SONGS_PER_PART, type Part, type Row, type Songs } from './identity-table.ts';
import { allTracks } from './served-library.ts';
import { startServer, type ServerOptions, type TestServer } from './server.ts';

export type Mode = 'copy' | 'reference';

/** A server in this process or in another process. */
export interface Served {
  tracks: () => Promise<TrackOut[]>;
  withDatabase: <T>(use: (db: Database) => T) => T;
  /** Returns the status of the response to streaming a track. */
  stream: (id: number) => Promise<number>;
}

export const servedBy = (server: TestServer): Served => ({
  tracks: () => allTracks(server),
  withDatabase: (use) => use(server.app.db.$client),
  async stream(id) {
    const response = await fetch(`${server.url}/stream/${id}?token=${server.token}`);
    await response.arrayBuffer();
    return response.status;
  },
});

const nameOf = (part: number, parts: number): string => (parts === 1 ? '' : `row ${part}/`);

/** Writes the files of all rows. A single row uses the whole music folder; several rows use a folder each. */
export function layOutRows(folder: string, rows: readonly Row[], songs: Songs, format = 'mp3'): Part[] {
  return rows.map((row, part): Part => {
    const newPart: Part = {
      at: (path) => join(folder, nameOf(part, rows.length), inFormat(path, format)),
      recording: songs.recording,
      song: (n) => songs.mp3[part * SONGS_PER_PART + n] as string,
    };
    mkdirSync(newPart.at(''), { recursive: true });
    layOut(filesOf(row, newPart), newPart);
    return newPart;
  });
}

type RowChecks = Awaited<ReturnType<typeof openRowChecks>>;

/** Opens the checks of rows; must be called after the first scan and before the changes. */
export async function openRowChecks(library: Served, mode: Mode, rows: readonly Row[], format = 'mp3') {
  /** Returns track ids by source id; source ids of a part are relative to the part. */
  const ids = async (partNumber = -1): Promise<Record<string, number>> => idsAmong(await library.tracks(), partNumber);

  function idsAmong(tracks: readonly TrackOut[], partNumber: number): Record<string, number> {
    const prefix = partNumber < 0 ? '' : nameOf(partNumber, rows.length);
    // a track whose file was overwritten has a separate folder
    const placeOf = (sourceId: string): string => sourceId.replace(/^\.overwritten\/\d+\//, '');
    return Object.fromEntries(
      tracks
        .filter((track) => placeOf(track.source_id).startsWith(prefix))
        .map(({ id, source_id }) => [source_id.startsWith(prefix) ? source_id.slice(prefix.length) : source_id, id]),
    );
  }
  const firstTracks = await library.tracks();
  const idsBefore = [...rows.keys()].map((part) => idsAmong(firstTracks, part));
  const allIds = firstTracks.map(({ id }) => id);
  library.withDatabase((db) => hang(db, allIds));

  return {
    ids,
    tracks: library.tracks,
    /** Returns the violated rules of the row of this part, for the tracks after a scan. */
    async faultsOf(part: number, tracks: readonly TrackOut[]): Promise<string[]> {
      const row = rows[part] as Row;
      const { places, lost = [], joined = {} } = { ...row, ...(mode === 'copy' && row.inCopyMode) };
      const [idsByOldPath, idsByPath] = [idsBefore[part] as Record<string, number>, idsAmong(tracks, part)];
      const [idAt, idWas] = [idsByPath, idsByOldPath].map(
        (idsByName) => (path: string) => idsByName[inFormat(path, format)] as number,
      );
      const faults: string[] = [];
      const expect = (isRight: boolean, fault: string): void => void (isRight || faults.push(fault));
      const oldIds = new Set(Object.values(idsByOldPath));
      for (const [path, from] of Object.entries(places)) {
        const id = idAt?.(path);
        if (from === null)
          expect(id !== undefined && !oldIds.has(id), `${path} is ${id}, and should be a track of its own`);
        else expect(id === idWas?.(from), `${path} is ${id}, and should be ${idWas?.(from)}, which was ${from}`);
      }
      for (const path of Object.keys(joined)) oldIds.delete(idWas?.(path) as number);
      const currentIds = new Set(Object.values(idsByPath));
      for (const id of oldIds) expect(currentIds.has(id), `track ${id} is lost`);
      const count = oldIds.size + Object.values(places).filter((from) => from === null).length;
      expect(
        currentIds.size === count,
        `there are ${currentIds.size} tracks, and should be ${count}: ${Object.keys(idsByPath).join()}`,
      );
      const lostIds = lost.map((path) => idWas?.(path) as number);
      const joinedIds = Object.values(joined).map((path) => idAt?.(path) as number);
      const keptIds = [...oldIds].filter((id) => !lostIds.includes(id) && !joinedIds.includes(id));
      faults.push(...(await keptFaults(library, keptIds, 'available')));
      for (const id of joinedIds)
        faults.push(...(await keptFaults(library, [id], 'available', oldIds.has(id) ? 2 : 1)));
      faults.push(...(await keptFaults(library, lostIds, mode === 'reference' ? 'missing' : 'available')));
      return faults;
    },
  };
}

function hang(db: Database, ids: number[]): void {
  db.exec("INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Mine', 0, 0)");
  const statements = [
    "INSERT INTO plays (user_id, track_id, title, played_at) VALUES (1, @id, 'x', 0)",
    "INSERT INTO like_states (user_id, item_type, item_id, liked, since) VALUES (1, 'track', @id, 1, 0)",
    'INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) VALUES (1, @id, @id, 0)',
  ].map((sql) => db.prepare(sql));
  for (const id of ids) for (const statement of statements) statement.run({ id });
}

/** Returns the faults of tracks that must have their user data and this availability. */
export async function keptFaults(
  library: Served,
  ids: readonly number[],
  availability: TrackOut['availability'],
  count = 1,
): Promise<string[]> {
  const faults: string[] = [];
  const status = availability === 'available' ? 200 : 410;
  for (const id of ids) {
    const rows = library.withDatabase((db) =>
      db
        .prepare<unknown[], { availability: string; likes: number; plays: number; entries: number }>(
          `SELECT availability,
            (SELECT count(*) FROM like_states WHERE liked AND item_type = 'track' AND item_id = t.id) AS likes,
            (SELECT count(*) FROM plays WHERE track_id = t.id) AS plays,
            (SELECT count(*) FROM playlist_entries WHERE track_id = t.id) AS entries
            FROM tracks t WHERE id = ?`,
        )
        .get(id),
    );
    const [currentState, previousState] = [
      { ...rows, status: await library.stream(id) },
      { availability, likes: 1, plays: count, entries: count, status },
    ].map((state) => JSON.stringify(state));
    if (currentState !== previousState) faults.push(`track ${id} is ${currentState}, and should be ${previousState}`);
  }
  return faults;
}

export interface IdentityLibrary extends Pick<RowChecks, 'ids' | 'tracks' | 'faultsOf'> {
  server: TestServer;
  folder: string;
  parts: Part[];
}

interface IdentityLibraryOptions {
  base: string;
  mode: Mode;
  songs: Songs;
  rows: Row[];
  /** Scans everything for the first time. */
  firstScan: (server: TestServer) => Promise<void>;
  server?: Omit<ServerOptions, 'dir'>;
}

export async function openIdentityLibrary({
  base,
  mode,
  songs,
  rows,
  firstScan,
  server: options,
}: IdentityLibraryOptions): Promise<IdentityLibrary> {
  const folder = mkdtempSync(join(base, 'music-'));
  const parts = layOutRows(folder, rows, songs);
  const server = await startServer({
    ...options,
    env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: mode, ...options?.env },
  });
  await firstScan(server);
  return { server, folder, parts, ...(await openRowChecks(servedBy(server), mode, rows)) };
}
