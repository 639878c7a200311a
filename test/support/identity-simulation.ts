// Random changes of a music folder against the real scan without decoding: real files whose text determines their
// sound, the real walk, rows and stages; only the reader and the fingerprints are simulated. A thousand sequences take
// seconds, and a failing sequence is shortened until no step can be left out.
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import type { MainDb } from '../../server/db/client.ts';
import type { TrackId, UserId } from '../../server/db/ids.ts';
import { rightsFrom } from '../../server/db/rights.ts';
import type { Hearing } from '../../server/enrichment/hearing.ts';
import type { ReadResult } from '../../server/files/reader-worker.ts';
import type { ReadGroup } from '../../server/files/reader-pool.ts';
import { absoluteOf, join as treePath } from '../../server/files/relative-path.ts';
import { createSourceFiles } from '../../server/files/source-files.ts';
import { createPlayMerge } from '../../server/history/track-merge.ts';
import { createMerges } from '../../server/library/merges/merges.ts';
import { createTrackMerge } from '../../server/library/merges/track-merge.ts';
import { createTrackWriter } from '../../server/library/tracks/track-writer.ts';
import { createTrash, type TrashUser } from '../../server/library/trash/trash.ts';
import { createLikeMoves } from '../../server/likes/like-moves.ts';
import { createEntryMerge } from '../../server/playlists/track-merge.ts';
import { createFileMerge } from '../../server/relocation/track-merge.ts';
import { createRelocation } from '../../server/relocation/service.ts';
import { createSeparatedTracks } from '../../server/scan/gone-tracks/separated-tracks.ts';
import { createGoneTrackFinder } from '../../server/scan/gone-tracks/gone-track-finder.ts';
import { openKnownFiles } from '../../server/scan/walk/known-files.ts';
import { scan } from '../../server/scan/scan.ts';
import { LOCAL_FOLDER, type ScanDeps, type ScanOptions } from '../../server/scan/scan-context.ts';
import { walk } from '../../server/scan/walk/walk.ts';
import { rootPathOf } from '../../server/storage/music-roots.ts';
import { createDeletedFiles } from './deleted-files.ts';
import { createFolder, firstNames, hang, SOUNDS, type Content, type Mode, type Step } from './identity-folder.ts';
import { createLikedNames } from './liked-names.ts';
import { seenOnOtherDisk } from './other-disk.ts';
import { seededRandom } from './seeded-random.ts';
import { openTempDatabase } from './temp-database.ts';

class Killed extends Error {}

/**
 * The music folders. With `both` there are two: files of the first are copied, files of the second, which contains a
 * third, are only indexed.
 */
export type Folders = Mode | 'both';
const OTHER_FOLDERS = ['folder 2', 'split 1'];
const owner: TrashUser = { id: 1 as UserId, rights: rightsFrom(() => true) };

export function createSimulation(mode: Folders, { isHeard }: { isHeard: boolean }) {
  const temp = openTempDatabase();
  const base = fs.mkdtempSync(join(fs.existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'tonearm-simulation-'));
  const [root, awayDir] = [join(base, 'music'), join(base, 'away')];
  const firstMusicFolder = { key: '', name: 'Music', path: root, mode: mode === 'both' ? ('copy' as const) : mode };
  const musicFolders: ScanOptions['musicFolders'] =
    mode === 'both'
      ? [
          { ...firstMusicFolder, path: join(root, 'first') },
          { key: 'other', name: 'Other', path: join(root, 'other'), mode: 'reference' },
        ]
      : [firstMusicFolder];
  const folderOf = (folder: string) =>
    musicFolders[OTHER_FOLDERS.includes(folder) ? musicFolders.length - 1 : 0] ?? firstMusicFolder;
  const pathOf = (folder: string): string => join(folderOf(folder).path, folder);
  const inTree = (folder: string): string => treePath(rootPathOf(folderOf(folder).key), folder);
  const sourceIdAt = (path: string): string => {
    const { key, path: folderPath } =
      musicFolders.findLast((musicFolder) => path.startsWith(`${musicFolder.path}/`)) ?? firstMusicFolder;
    return treePath(rootPathOf(key), path.slice(folderPath.length + 1));
  };
  const db: MainDb = temp.db;
  const runSql = (sql: string, ...params: unknown[]): void => void db.$client.prepare(sql).run(...params);
  runSql("INSERT INTO users (username, username_key, password_hash, created_at) VALUES ('ann', 'ann', 'x', 0)");
  runSql("INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Mine', 0, 0)");
  const now = (): Date => new Date(1_000_000);
  let stamp = 0;
  let audios = 0;
  let sounds = SOUNDS;
  /** Number of batches of rows, readings and fingerprints until the scan is killed. */
  let life = Infinity;
  const live = (): void => {
    if (--life < 0) throw new Killed();
  };

  const soundOf = (audioHash: string | null): number => Number(/^p1:(\d+)/.exec(audioHash ?? '')?.[1] ?? -1);

  function readGroup({ root: folder, paths, copyTo, hashLarge }: ReadGroup): Promise<ReadResult[]> {
    live();
    return Promise.resolve(
      paths.map((requestedPath): ReadResult => {
        const path = typeof requestedPath === 'string' ? requestedPath : requestedPath.path;
        let content: Content;
        try {
          content = JSON.parse(fs.readFileSync(absoluteOf(folder, path), 'utf8')) as Content;
        } catch {
          return { ok: false, reason: 'it is not there' };
        }
        const { sound, audio, title, album, artist, isLarge } = content;
        return {
          ok: true,
          sizeBytes: 1,
          audioHash: isLarge && !hashLarge ? null : `p1:${audio}`,
          stored: copyTo === null ? null : { key: `audio/${audio}-${title}`, sha256: `${audio}-${title}` },
          content: {
            facts: {
              format: formatOf(audio),
              codec: formatOf(audio),
              durationMs: 60_000 + (sound % 3) * 1_000,
              bitrateKbps: 100,
              sampleRateHz: 44_100,
              channels: 2,
              lossless: false,
            },
            tags: { title, album, artists: [artist], albumArtists: [], genres: [] },
            pictures: [],
            reader: 'own',
          },
        };
      }),
    );
  }

  const { ofTracks, ofAlbumsAndArtists } = createLikeMoves({ db, now });
  const tracks = createTrackWriter({ db, now, annotationParts: [ofAlbumsAndArtists] });
  const likedNames = createLikedNames();
  const sourceFiles = createSourceFiles({ db });
  const trash = createTrash({
    db,
    tracks,
    now,
    onRestored: () => {},
    lookForFiles: () => Promise.resolve(),
    release: () => Promise.resolve(),
  });
  const movers = [ofTracks, createPlayMerge({ db }), createEntryMerge({ db, now }), createFileMerge({ sourceFiles })];
  const merges = createMerges({
    db,
    tracks,
    merge: createTrackMerge({ db, tracks, movers }),
    movers,
    trash,
    now,
  });
  const relocation = createRelocation({
    db,
    tracks,
    merges,
    now,
    sourceFiles,
    library: {
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
  const heardIds: TrackId[] = [];
  const heardOf = (id: TrackId) => {
    live();
    heardIds.push(id);
    const sound = soundOf(hashOf(id));
    return Promise.resolve(isHeard && sound >= 0 ? fingerprint(sound) : undefined);
  };
  const hearing: Pick<
    Hearing,
    | 'ofFile'
    | 'ofStoredAudio'
    | 'ofTrack'
    | 'findSimilarTo'
    | 'soundsLikeDeleted'
    | 'listSimilarTracks'
    | 'findStored'
    | 'store'
  > = {
    findStored: () => undefined,
    store: () => {},
    ofFile: ({ path }) => {
      const { sound } = JSON.parse(fs.readFileSync(path, 'utf8')) as Content;
      return Promise.resolve(isHeard ? fingerprint(sound) : undefined);
    },
    ofStoredAudio: heardOf,
    ofTrack: heardOf,
    findSimilarTo: ({ raw }) =>
      db.$client
        .prepare<[], { id: TrackId; audio_hash: string | null }>('SELECT id, audio_hash FROM tracks')
        .all()
        .flatMap(({ id, audio_hash }) => {
          const sound = soundOf(audio_hash);
          return sound >= 0 && fingerprint(sound).raw[0] === raw[0] ? [{ id, similarity: 0.97 }] : [];
        }),
    soundsLikeDeleted: ({ raw }) =>
      db.$client
        .prepare<[], string | null>('SELECT audio_hash FROM trashed_tracks WHERE merged_into IS NULL AND is_hidden = 0')
        .pluck()
        .all()
        .some((hash) => soundOf(hash) >= 0 && fingerprint(soundOf(hash)).raw[0] === raw[0]),
    listSimilarTracks: (id) =>
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
    trash,
    divide: relocation.divide,
    reader: { read: readGroup, warmUp: () => {} },
    playlistFiles: {
      isEnabled: () => false,
      noteChanges: () => {},
      noteScanned: () => {},
      follow: () => Promise.resolve({ playlistCount: 0, faults: [] }),
    },
    async *walkFolders({ databasePath, source, ...order }) {
      const knownFiles = openKnownFiles(databasePath, source, order.folders);
      try {
        yield { batches: [...walk({ ...order, knownFiles })], isLast: true };
      } finally {
        knownFiles.close();
      }
    },
    now,
    storage: {
      backend: { name: 'local', title: 'disk', verifyDays: 1, mayBeDown: false },
      folder: join(base, 'stored'),
      putAudio: () => never(),
      diskUsage: () => Promise.resolve(null),
      list: () => never(),
      stat: () => never(),
    },
    minFreeBytes: () => 0,
    ignoredNames: () => '',
    ownFolders: { data: join(base, 'data'), storageRoot: join(base, 'stored') },
    releaseAudio: () => Promise.resolve(),
    hearing,
    canSplit: () => Promise.resolve(false),
    separatedTracks: createSeparatedTracks({ db, source: LOCAL_FOLDER, relocation }),
    goneTrackFinder: createGoneTrackFinder({
      db,
      source: LOCAL_FOLDER,
      hearing,
      relocation,
      tracks,
      reader: { read: readGroup },
    }),
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
        musicFolders,
        roots: musicFolders,
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
    hang(db.$client, soundOf, () => ++stamp);
    likedNames.noteTracks(db.$client);
    if (!isHeard) return;
    storeSounds();
    await compareAgain();
  }

  async function compareAgain(): Promise<void> {
    await deps.goneTrackFinder.compareAgain({ root: musicFolders, signal: new AbortController().signal, now: now() });
    likedNames.noteTracks(db.$client);
  }

  /** Deletes the track with this number, as users do. */
  function deleteOne(pick: number): void {
    const allIds = db.$client.prepare<[], TrackId>('SELECT id FROM tracks ORDER BY id').pluck().all();
    const id = allIds[pick % allIds.length];
    if (id === undefined) return;
    deletedFiles.note(id);
    db.transaction((tx) => trash.put(tx, 1 as UserId, id, () => sourceFiles.noteDeleted(id)));
    likedNames.noteTracks(db.$client);
  }
  async function restoreOne(pick: number): Promise<void> {
    const deletedTracks = deletedFiles.tracks();
    const id = deletedTracks[pick % deletedTracks.length];
    if (id === undefined) return;
    await trash.restoreFor(owner, id);
    await compareAgain();
  }

  /** Stores fingerprints, as the enrichment does after a scan. */
  const storeSounds = db.$client.transaction(() => {
    const allRows = db.$client
      .prepare<[], { id: TrackId; audio_hash: string | null }>(
        'SELECT id, audio_hash FROM tracks WHERE audio_hash IS NOT NULL ORDER BY id',
      )
      .all();
    for (const { id, audio_hash } of allRows) {
      runSql("INSERT OR IGNORE INTO track_fingerprints VALUES (?, 'model', 60000, x'00', 0)", id);
      runSql('INSERT OR IGNORE INTO fingerprint_pieces VALUES (?, 60000, ?)', soundOf(audio_hash), id);
    }
    for (const [index, track] of allRows.entries())
      for (const otherTrack of allRows.slice(index + 1))
        if (soundOf(track.audio_hash) === soundOf(otherTrack.audio_hash))
          runSql('INSERT OR IGNORE INTO duplicate_pairs VALUES (?, ?, 0.97)', track.id, otherTrack.id);
  });

  function write(path: string, content: Content): void {
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, JSON.stringify(content));
    touch(path);
  }
  /** Sets a new file time, because a file system's clock may be coarser than two changes in a row. */
  function touch(path: string): void {
    fs.utimesSync(path, 1_600_000_000, 1_600_000_000 + ++stamp);
  }
  const folder = createFolder({
    root,
    pathOf,
    sourceIdAt,
    sequenceNumber: 0,
    awayDir,
    isHeard,
    write,
    touch,
    soundOf,
    contentOf: (path) => JSON.parse(fs.readFileSync(path, 'utf8')) as Content,
    convert: (sound, extension) => `${sound}-${++audios}${extension}`,
    nextSound: () => sounds++,
    hashOf: (audio) => `p1:${audio}`,
  });

  const deletedFiles = createDeletedFiles(db.$client);

  const emptyTables = db.$client.transaction(() => {
    for (const table of ['plays', 'like_states', 'playlist_entries', 'tracks', 'source_files', 'source_folders'])
      runSql(`DELETE FROM ${table}`);
    for (const table of [
      'albums',
      'artists',
      'unfinished_scans',
      'trashed_tracks',
      'replaced_tracks',
      'annotation_moves',
    ])
      runSql(`DELETE FROM ${table}`);
  });

  function reset(): void {
    emptyTables();
    fs.rmSync(root, { recursive: true, force: true });
    fs.rmSync(awayDir, { recursive: true, force: true });
    stamp = 0;
    audios = 0;
    sounds = SOUNDS;
    heardIds.length = 0;
    deletedFiles.reset();
  }

  /** Runs the steps and two more scans; returns the violated rules. */
  async function play(steps: readonly Step[]): Promise<string[]> {
    reset();
    for (const { path } of musicFolders) fs.mkdirSync(path, { recursive: true });
    for (let sound = 0; sound < SOUNDS; sound++)
      write(join(pathOf(`folder ${sound % 3}`), `${sound}.mp3`), {
        sound,
        audio: `${sound}-0`,
        title: `Title ${sound}`,
        ...firstNames(sound),
        isLarge: sound % 2 === 0,
      });
    await scanOnce([]);
    likedNames.likeAll(db.$client);
    likedNames.noteTracks(db.$client);
    for (const step of steps) {
      const [firstPick] = step.picks;
      if (step.op === 'scan') await scanOnce([]);
      else if (step.op === 'scan part') await scanOnce([inTree(`folder ${firstPick % 3}`)]);
      else if (step.op === 'kill') await scanOnce([], firstPick % 12);
      else if (step.op === 'remount') {
        seenOnOtherDisk(db.$client);
        deletedFiles.forget();
      } else if (step.op === 'trash') deleteOne(firstPick);
      else if (step.op === 'restore') await restoreOne(firstPick);
      else folder.change(step);
    }
    await scanOnce([]);
    await scanOnce([]);
    const cameBack = deletedFiles.faults(folder.listed(root), sourceIdAt);
    while (deletedFiles.tracks().length > 0) await restoreOne(0);
    await scanOnce([]);
    await scanOnce([]);
    return [...cameBack, ...folder.faults(db.$client), ...likedNames.faults(db.$client)];
  }

  return {
    play,
    /** Returns the ids of tracks whose audio was decoded in the last play, once per decoding. */
    heard: (): readonly TrackId[] => heardIds,
    /** Returns the shortest part of the steps that still fails. */
    async shrink(steps: readonly Step[]): Promise<Step[]> {
      let remainingSteps = [...steps];
      for (let i = 0; i < remainingSteps.length;) {
        const fewerSteps = remainingSteps.toSpliced(i, 1);
        if ((await play(fewerSteps)).length > 0) [remainingSteps, i] = [fewerSteps, 0];
        else i++;
      }
      return remainingSteps;
    },
    close(): void {
      temp.close();
      fs.rmSync(base, { recursive: true, force: true });
    },
  };
}

/** Returns the format by the content of a file, like the real reader, and not by its name. */
const formatOf = (audio: string): 'flac' | 'mp3' => (extname(audio) === '.flac' ? 'flac' : 'mp3');

function never(): never {
  throw new Error('nobody asks for this here');
}
