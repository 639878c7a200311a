// A music folder with a part for each row of the identity table, and a server for it: every track has a play, a
// like and a playlist entry, and after scans each row can check that they are where they should be.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TrackOut } from '../../server/library/wire.ts';
import { filesOf, layOut, SONGS_PER_PART, type Part, type Row, type Songs } from './identity-table.ts';
import { allTracks } from './served-library.ts';
import { startServer, type ServerOptions, type TestServer } from './server.ts';

export type Mode = 'copy' | 'reference';

export interface IdentityLibrary {
  server: TestServer;
  folder: string;
  parts: Part[];
  /** Ids by source id, or of a part, with source ids relative to it. */
  ids: (part?: number) => Promise<Record<string, number>>;
  /** Checks the row of this part after a scan. */
  expectRow: (part: number, when: string) => Promise<void>;
}

export interface IdentityLibraryOptions {
  base: string;
  mode: Mode;
  songs: Songs;
  rows: Row[];
  /** Scans everything for the first time. */
  firstScan: (server: TestServer) => Promise<void>;
  server?: Omit<ServerOptions, 'dir'>;
}

/** A single row uses the whole music folder; several use a folder each. */
export async function openIdentityLibrary({
  base,
  mode,
  songs,
  rows,
  firstScan,
  server: options,
}: IdentityLibraryOptions): Promise<IdentityLibrary> {
  const folder = mkdtempSync(join(base, 'music-'));
  const nameOf = (part: number): string => (rows.length === 1 ? '' : `row ${part}/`);
  const parts = rows.map((row, part): Part => {
    const made: Part = {
      at: (path) => join(folder, nameOf(part), path),
      recording: songs.recording,
      song: (n) => songs.mp3[part * SONGS_PER_PART + n] as string,
    };
    mkdirSync(made.at(''), { recursive: true });
    layOut(filesOf(row, made), made);
    return made;
  });
  const server = await startServer({
    ...options,
    env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: mode, ...options?.env },
  });
  await firstScan(server);

  const ids = async (part = -1): Promise<Record<string, number>> => {
    const prefix = part < 0 ? '' : nameOf(part);
    // a track whose file was overwritten is below a folder of its own
    const placeOf = (sourceId: string): string => sourceId.replace(/^\.overwritten\/\d+\//, '');
    return Object.fromEntries(
      (await allTracks(server))
        .filter((track) => placeOf(track.source_id).startsWith(prefix))
        .map(({ id, source_id }) => [source_id.startsWith(prefix) ? source_id.slice(prefix.length) : source_id, id]),
    );
  };
  const before: Record<string, number>[] = [];
  for (const part of parts.keys()) before.push(await ids(part));
  hang(server, Object.values(await ids()));

  return {
    server,
    folder,
    parts,
    ids,
    async expectRow(part, when) {
      const { places, lost = [], joined = {} } = rows[part] as Row;
      const [was, after] = [before[part] as Record<string, number>, await ids(part)];
      const old = new Set(Object.values(was));
      for (const [path, from] of Object.entries(places)) {
        if (from === null)
          expect([when, path, after[path] === undefined, old.has(after[path] as number)]).toEqual([
            when,
            path,
            false,
            false,
          ]);
        else expect([when, path, after[path]]).toEqual([when, path, was[from]]);
      }
      for (const path of Object.keys(joined)) old.delete(was[path] as number);
      expect(Object.values(after), when).toEqual(expect.arrayContaining([...old])); // no track is ever lost
      expect(Object.keys(after), when).toHaveLength(
        old.size + Object.values(places).filter((from) => from === null).length,
      );
      const lostIds = lost.map((path) => was[path] as number);
      const joinedIds = Object.values(joined).map((path) => after[path] as number);
      const plain = [...old].filter((id) => !lostIds.includes(id) && !joinedIds.includes(id));
      await expectKept(server, plain, 'available');
      for (const id of joinedIds) await expectKept(server, [id], 'available', old.has(id) ? 2 : 1);
      await expectKept(server, lostIds, mode === 'reference' ? 'missing' : 'available');
    },
  };
}

function hang({ app }: TestServer, ids: number[]): void {
  const db = app.db.$client;
  db.exec("INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Mine', 0, 0)");
  for (const id of ids) {
    db.prepare("INSERT INTO plays (user_id, track_id, title, played_at) VALUES (1, ?, 'x', 0)").run(id);
    db.prepare("INSERT INTO like_states (user_id, item_type, item_id, liked, since) VALUES (1, 'track', ?, 1, 0)").run(
      id,
    );
    db.prepare('INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) VALUES (1, ?, ?, 0)').run(
      id,
      id,
    );
  }
}

/** These tracks still have their data, and can be played. */
export async function expectKept(
  server: TestServer,
  ids: number[],
  availability: TrackOut['availability'],
  plays = 1,
): Promise<void> {
  const db = server.app.db.$client;
  for (const id of ids) {
    const { body } = await server.api<TrackOut>(`/tracks/${id}`);
    expect([id, body.availability, body.liked]).toEqual([id, availability, true]);
    expect(db.prepare('SELECT count(*) AS n FROM plays WHERE track_id = ?').get(id)).toEqual({ n: plays });
    expect(db.prepare('SELECT count(*) AS n FROM playlist_entries WHERE track_id = ?').get(id)).toEqual({ n: plays });
    const stream = await fetch(`${server.url}/stream/${id}?token=${server.token}`);
    expect(stream.status).toBe(availability === 'available' ? 200 : 410);
    await stream.arrayBuffer();
  }
}
