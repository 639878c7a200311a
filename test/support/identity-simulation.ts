// Random changes of a music folder against the real scan, with everything but decoding: real files, whose text says what
// they sound like, the real walk, rows and stages; only the reader and the fingerprints are made up. A thousand
// sequences take seconds, and one that fails is made shorter until nothing can be left out.
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import type { MainDb } from '../../server/db/client.ts';
import type { TrackId } from '../../server/db/ids.ts';
import type { Hearing } from '../../server/enrichment/hearing.ts';
import type { ReadResult } from '../../server/files/reader-worker.ts';
import type { ReadGroup } from '../../server/files/reader-pool.ts';
import { absoluteOf } from '../../server/files/relative-path.ts';
import { createSourceFiles } from '../../server/files/source-files.ts';
import { createPlayMerge } from '../../server/history/track-merge.ts';
import { createTrackMerge } from '../../server/library/track-merge.ts';
import { createTrackWriter } from '../../server/library/track-writer.ts';
import { createLikeMerge } from '../../server/likes/track-merge.ts';
import { createEntryMerge } from '../../server/playlists/track-merge.ts';
import { createRelocation } from '../../server/relocation/service.ts';
import { createFindGone } from '../../server/scan/find-gone.ts';
import { openKnownFiles } from '../../server/scan/known-files.ts';
import { LOCAL_FOLDER, scan, type ScanDeps } from '../../server/scan/scan.ts';
import { walk } from '../../server/scan/walk.ts';
import { seededRandom } from './random-numbers.ts';
import { openTempDatabase } from './temp-database.ts';

export type Mode = 'copy' | 'reference';

const OPS = [
  'rename',
  'move',
  'retag',
  'swap',
  'copy',
  'delete',
  'convert',
  'split',
  'merge',
  'vanish',
  'return',
  'overwrite',
  'scan',
  'scan part',
  'kill',
] as const;
export interface Step {
  op: (typeof OPS)[number];
  /** Which files, names and moments; taken modulo what there is. */
  picks: [number, number, number];
}

/** What a made-up file says. */
interface Content {
  /** The recording; encodings of it differ. */
  sound: number;
  audio: string;
  title: string;
  album: string;
  /** Too large to be hashed at once in reference mode. */
  isLarge: boolean;
}

export function randomSteps(seed: number): Step[] {
  const random = seededRandom(seed);
  const number = (): number => Math.floor(random() * 1_000);
  return Array.from({ length: 3 + Math.floor(random() * 10) }, () => ({
    op: OPS[Math.floor(random() * OPS.length)] as Step['op'],
    picks: [number(), number(), number()],
  }));
}

class Killed extends Error {}

export function createSimulation(mode: Mode, { isHeard }: { isHeard: boolean }) {
  const temp = openTempDatabase();
  const base = fs.mkdtempSync(join(fs.existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'tonearm-simulation-'));
  const [root, away] = [join(base, 'music'), join(base, 'away')];
  const db: MainDb = temp.db;
  const run = (sql: string, ...params: unknown[]): void => void db.$client.prepare(sql).run(...params);
  run("INSERT INTO users (username, username_key, password_hash, created_at) VALUES ('ann', 'ann', 'x', 0)");
  run("INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Mine', 0, 0)");
  const now = (): Date => new Date(1_000_000);
  let stamp = 0;
  let audios = 0;
  /** Batches of rows, readings and fingerprints until the scan is killed. */
  let life = Infinity;
  const live = (): void => {
    if (--life < 0) throw new Killed();
  };

  const soundOf = (audioHash: string | null): number => Number(/^p1:(\d+)/.exec(audioHash ?? '')?.[1] ?? -1);

  function read({ root: folder, paths, copyTo, hashLarge }: ReadGroup): Promise<ReadResult[]> {
    live();
    return Promise.resolve(
      paths.map((asked): ReadResult => {
        const path = typeof asked === 'string' ? asked : asked.path;
        let content: Content;
        try {
          content = JSON.parse(fs.readFileSync(absoluteOf(folder, path), 'utf8')) as Content;
        } catch {
          return { ok: false, reason: 'it is not there' };
        }
        const { sound, audio, title, album, isLarge } = content;
        return {
          ok: true,
          sizeBytes: 1,
          audioHash: isLarge && !hashLarge ? null : `p1:${audio}`,
          stored: copyTo === null ? null : { key: `audio/${audio}-${title}`, sha256: `${audio}-${title}` },
          read: {
            facts: {
              format: extname(path) === '.flac' ? 'flac' : 'mp3',
              codec: extname(path) === '.flac' ? 'flac' : 'mp3',
              durationMs: 60_000 + (sound % 3) * 1_000,
              bitrateKbps: 100,
              sampleRateHz: 44_100,
              channels: 2,
              lossless: false,
            },
            tags: { title, album, artists: ['The Quays'], albumArtists: [], genres: [] },
            pictures: [],
            reader: 'own',
          },
        };
      }),
    );
  }

  const tracks = createTrackWriter({ db, now });
  const merge = createTrackMerge({
    db,
    tracks,
    movers: [createLikeMerge({ db }), createPlayMerge({ db }), createEntryMerge({ db, now })],
  });
  const relocation = createRelocation({
    db,
    tracks,
    merge,
    now,
    sourceFiles: createSourceFiles({ db }),
    library: {
      release: () => Promise.resolve(),
      getTrack: () => never(),
      tracksById: () => never(),
    },
  });

  const hashOf = (id: TrackId): string | null =>
    db.$client.prepare<[TrackId], string | null>('SELECT audio_hash FROM tracks WHERE id = ?').pluck().get(id) ?? null;
  const fingerprint = (sound: number): { raw: Uint32Array; durationMs: number } => {
    const random = seededRandom(sound);
    return { raw: Uint32Array.from({ length: 200 }, () => Math.floor(random() * 2 ** 32)), durationMs: 60_000 };
  };
  const heardOf = (id: TrackId) => {
    live();
    const sound = soundOf(hashOf(id));
    return Promise.resolve(isHeard && sound >= 0 ? fingerprint(sound) : undefined);
  };
  const hearing: Pick<Hearing, 'ofFile' | 'ofKept' | 'ofTrack' | 'alike' | 'stored' | 'store'> = {
    stored: () => undefined,
    store: () => {},
    ofFile: ({ path }) => {
      const { sound } = JSON.parse(fs.readFileSync(path, 'utf8')) as Content;
      return Promise.resolve(isHeard ? fingerprint(sound) : undefined);
    },
    ofKept: heardOf,
    ofTrack: heardOf,
    alike: (id) =>
      db.$client
        .prepare<[], { id: TrackId; audio_hash: string | null }>('SELECT id, audio_hash FROM tracks')
        .all()
        .filter((row) => row.id !== id && soundOf(row.audio_hash) === soundOf(hashOf(id)))
        .map((row) => ({ id: row.id, similarity: 0.97 })),
  };

  const deps: ScanDeps = {
    db,
    databasePath: join(temp.dir, 'tonearm.db'),
    tracks,
    trash: { findPlace: () => undefined, restore: never, setPlace: never },
    reader: { read, warm: () => {} },
    walker: {
      start: ({ folders, restore, databasePath, source }) => ({
        async *messages() {
          const known = openKnownFiles(databasePath, source);
          try {
            const batches = [...walk({ root, folders, restore, known })];
            yield { type: 'folders', batches, files: batches.length, current: '' };
          } finally {
            known.close();
          }
        },
        credit: () => {},
        end: () => {},
      }),
    },
    now,
    storage: {
      backend: { name: 'local', title: 'disk', verifyDays: 1, mayBeDown: false },
      folder: join(base, 'stored'),
      putAudio: () => never(),
    },
    releaseAudio: () => Promise.resolve(),
    hearing,
    findGone: createFindGone({ db, source: LOCAL_FOLDER, hearing, relocation, tracks, reader: { read } }),
    batchMs: () => 0,
    relieve: () => {
      live();
      return Promise.resolve();
    },
  };

  async function scanOnce(folders: string[], batches = Infinity): Promise<void> {
    life = batches;
    try {
      await scan(deps, {
        musicFolders: [{ key: '', name: 'Music', path: root, mode }],
        roots: root,
        folders,
        restore: false,
        dryRun: false,
        signal: new AbortController().signal,
        onProgress: () => {},
        onCommit: () => {},
      });
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    } finally {
      life = Infinity;
    }
    hang();
  }

  /** Every new track is played, liked, put into a playlist, and one of three is edited, under the name of its sound. */
  function hang(): void {
    const bare = db.$client
      .prepare<[], { id: TrackId; audio_hash: string | null }>(
        `SELECT id, audio_hash FROM tracks WHERE audio_hash IS NOT NULL
          AND id NOT IN (SELECT track_id FROM plays WHERE track_id IS NOT NULL)`,
      )
      .all();
    for (const { id, audio_hash } of bare) {
      const sound = soundOf(audio_hash);
      run('INSERT INTO plays (user_id, track_id, title, played_at) VALUES (1, ?, ?, ?)', id, `${sound}`, ++stamp);
      run("INSERT INTO like_states (user_id, item_type, item_id, liked, since) VALUES (1, 'track', ?, 1, 0)", id);
      run('INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) VALUES (1, ?, ?, 0)', ++stamp, id);
      if (sound % 3 === 0)
        run("UPDATE tracks SET metadata_status = 'manual', comment = ? WHERE id = ?", `edit ${sound}`, id);
    }
  }

  // ---- the folder ----

  const listed = (folder: string): string[] =>
    fs.existsSync(folder)
      ? fs
          .readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
      : [];
  const contentOf = (path: string): Content => JSON.parse(fs.readFileSync(path, 'utf8')) as Content;

  function write(path: string, content: Content): void {
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, JSON.stringify(content));
    touch(path);
  }
  /** The clock of a file system may be coarser than two changes in a row. */
  function touch(path: string): void {
    fs.utimesSync(path, 1_600_000_000, 1_600_000_000 + ++stamp);
  }
  function rename(from: string, to: string): void {
    fs.mkdirSync(dirname(to), { recursive: true });
    fs.renameSync(from, to);
  }

  function change({ op, picks: [a, b, c] }: Step): void {
    const files = listed(root);
    const [one, other] = [files[a % files.length], files[b % files.length]];
    const place = join(root, `folder ${b % 3}`, `${c % 8}${extname(one ?? '.mp3')}`);
    switch (op) {
      case 'rename':
        if (one && !files.includes(join(dirname(one), basename(place))))
          rename(one, join(dirname(one), basename(place)));
        break;
      case 'move':
        if (one && !files.includes(place)) rename(one, place);
        break;
      case 'retag':
        if (one) retag(one, b, c);
        break;
      case 'swap':
        if (!one || !other || one === other) break;
        rename(one, `${one}.away`);
        rename(other, one);
        rename(`${one}.away`, other);
        if (c % 3 > 0) retag(one, c, c);
        if (c % 3 > 1) retag(other, c, b);
        break;
      case 'copy':
        if (!one || files.includes(place)) break;
        fs.mkdirSync(dirname(place), { recursive: true });
        fs.copyFileSync(one, place);
        touch(place);
        break;
      case 'delete':
        if (one && files.length > 2) fs.rmSync(one);
        break;
      case 'convert': {
        if (!one) break;
        const content = { ...contentOf(one), audio: `${contentOf(one).sound}-${++audios}` };
        const target = c % 2 === 0 ? one : `${one.slice(0, -extname(one).length)}.flac`;
        if (target !== one && files.includes(target)) break;
        if (target !== one) fs.rmSync(one);
        write(target, content);
        break;
      }
      case 'split':
        for (const file of files
          .filter((path) => dirname(path) === join(root, `folder ${a % 3}`))
          .slice(0, 1 + (b % 3))) {
          const target = join(root, `split ${c % 2}`, basename(file));
          if (!fs.existsSync(target)) rename(file, target);
        }
        break;
      case 'merge':
        for (const file of files.filter((path) => dirname(path) === join(root, `split ${a % 2}`))) {
          const target = join(root, `folder ${b % 3}`, basename(file));
          if (!fs.existsSync(target)) rename(file, target);
        }
        break;
      case 'vanish':
        if (one && files.length > 2) rename(one, join(away, `${++stamp}${extname(one)}`));
        break;
      case 'return': {
        const gone = listed(away);
        const back = gone[a % gone.length];
        const target = back && join(root, `folder ${b % 3}`, `${c % 8}${extname(back)}`);
        if (target && !files.includes(target)) rename(back, target);
        break;
      }
      case 'overwrite':
        if (one && other && one !== other && files.length > 2) {
          if (c % 2 === 0) rename(one, other);
          else {
            fs.writeFileSync(other, fs.readFileSync(one));
            touch(other);
          }
        }
    }
  }

  function retag(path: string, a: number, b: number): void {
    const before = contentOf(path);
    // where nothing is heard, only tags can tell music in other bytes
    const title = isHeard ? `Title ${a % 20}` : `Title ${before.sound}.${a % 20}`;
    const content = { ...before, title, album: `Album ${b % 3}` };
    if (b % 2 === 0) return write(path, content);
    write(`${path}.new`, content); // as most programs do
    rename(`${path}.new`, path);
  }

  // ---- what must hold ----

  interface Row {
    id: TrackId;
    source_id: string;
    audio_hash: string | null;
    title: string;
    availability: string;
    comment: string | null;
  }

  function faults(): string[] {
    const found: string[] = [];
    const rows = db.$client
      .prepare<[], Row>('SELECT id, source_id, audio_hash, title, availability, comment FROM tracks')
      .all();
    const byId = new Map(rows.map((row) => [row.id, row]));
    const bySourceId = new Map(rows.map((row) => [row.source_id, row]));
    const onDisk = listed(root).map((path) => ({ path: path.slice(root.length + 1), content: contentOf(path) }));
    const audioOnDisk = new Set(onDisk.map(({ content }) => `p1:${content.audio}`));
    const places = new Set(onDisk.map(({ path }) => path));
    for (const { path, content } of onDisk) {
      const row = bySourceId.get(path);
      if (!row) found.push(`${path} is no track`);
      else if (row.audio_hash !== `p1:${content.audio}` || row.availability !== 'available')
        found.push(`${path} is ${row.audio_hash} (${row.availability}) and sounds like ${content.audio}`);
      else if (row.comment === null && row.title !== content.title) found.push(`${path} has another title`);
    }
    const plays = db.$client
      .prepare<[], { track_id: TrackId | null; title: string }>('SELECT track_id, title FROM plays')
      .all();
    const perRow = Map.groupBy(plays, ({ track_id }) => track_id);
    for (const { track_id, title } of plays) {
      const row = track_id === null ? undefined : byId.get(track_id);
      if (!row) found.push(`a play of ${title} is lost`);
      else if (soundOf(row.audio_hash) !== Number(title) && row.audio_hash !== null)
        found.push(`a play of ${title} is on track ${row.id}, which sounds like ${row.audio_hash}`);
    }
    for (const row of rows) {
      const count = perRow.get(row.id)?.length ?? 0;
      const isThere = places.has(row.source_id);
      if (count > 0 && !isThere && row.audio_hash !== null && audioOnDisk.has(row.audio_hash))
        found.push(`track ${row.id} (${row.source_id}) is left behind: its audio ${row.audio_hash} is there`);
      if (!isThere && mode === 'reference' && row.availability === 'available')
        found.push(`track ${row.id} (${row.source_id}) has no file and is available`);
      if (row.source_id.includes('#')) found.push(`track ${row.id} is called ${row.source_id}`);
      const tables = [
        'playlist_entries WHERE track_id = ?',
        "like_states WHERE liked AND item_type = 'track' AND item_id = ?",
      ];
      for (const table of tables) {
        const hung = db.$client.prepare(`SELECT count(*) FROM ${table}`).pluck().get(row.id) as number;
        if (count > 0 && hung === 0) found.push(`track ${row.id} has plays, and nothing in ${table}`);
      }
      if (row.comment !== null && row.comment !== `edit ${soundOf(row.audio_hash)}` && row.audio_hash !== null)
        found.push(`${row.comment} is on track ${row.id}, which sounds like ${row.audio_hash}`);
    }
    const edited = new Set(rows.map(({ comment }) => comment));
    for (const { title } of plays)
      if (Number(title) % 3 === 0 && !edited.has(`edit ${title}`)) found.push(`edit ${title} is lost`);
    return found;
  }

  function reset(): void {
    for (const table of ['plays', 'like_states', 'playlist_entries', 'tracks', 'source_files', 'source_folders'])
      run(`DELETE FROM ${table}`);
    for (const table of ['albums', 'artists', 'unfinished_scans']) run(`DELETE FROM ${table}`);
    fs.rmSync(root, { recursive: true, force: true });
    fs.rmSync(away, { recursive: true, force: true });
    stamp = 0;
    audios = 0;
  }

  /** Gives what does not hold after the steps and two more scans. */
  async function play(steps: readonly Step[]): Promise<string[]> {
    reset();
    for (let sound = 0; sound < 6; sound++)
      write(join(root, `folder ${sound % 3}`, `${sound}.mp3`), {
        sound,
        audio: `${sound}-0`,
        title: `Title ${sound}`,
        album: 'Album 0',
        isLarge: sound % 2 === 0,
      });
    await scanOnce([]);
    for (const step of steps) {
      const [a, b] = step.picks;
      if (step.op === 'scan') await scanOnce([]);
      else if (step.op === 'scan part') await scanOnce([`folder ${a % 3}`]);
      else if (step.op === 'kill') await scanOnce([], a % 12);
      else if (step.op !== 'return' || b >= 0) change(step);
    }
    await scanOnce([]);
    await scanOnce([]);
    return faults();
  }

  return {
    play,
    /** The shortest part of the steps that still fails. */
    async shrink(steps: readonly Step[]): Promise<Step[]> {
      let left = [...steps];
      for (let i = 0; i < left.length;) {
        const without = left.toSpliced(i, 1);
        if ((await play(without)).length > 0) [left, i] = [without, 0];
        else i++;
      }
      return left;
    },
    close(): void {
      temp.close();
      fs.rmSync(base, { recursive: true, force: true });
    },
  };
}

function never(): never {
  throw new Error('nobody asks for this here');
}
