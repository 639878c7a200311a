// Acknowledged writes exist after SIGKILL during any activity: they are compared one by one after each kill. The
// moments are counted in acknowledged writes, so that they are the same on slow and fast machines.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HistoryOut } from '../../server/history/wire.ts';
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import type { PlaylistEntryPage, PlaylistOut } from '../../server/playlists/wire.ts';
import type { UploadOut } from '../../server/uploads/wire.ts';
import { startFakeAcoustId } from '../fakes/acoustid.ts';
import type { Mode } from '../support/identity-folder.ts';
import { openKilledServer, type KilledServer } from '../support/killed-server.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { makeSoundFiles, type SoundFiles } from '../support/sound-files.ts';
import { until } from '../support/until.ts';

export const KILLED_ACTIVITIES = ['scan', 'watch burst', 'upload', 'enrichment', 'playlist writes'] as const;
export type Activity = (typeof KILLED_ACTIVITIES)[number];

const TRACK_COUNT = 8;
/** Number of new files of a scan or a burst. */
const BURST_SIZE = 30;
const MOST_WRITES = 40;

/** The writes of one writer: `acked` was stored for certain, `pending` may have been stored. */
interface Ledger<T> {
  acked: T;
  pending: T | undefined;
}

/** Writes of one kind, and their comparison with the database. */
interface Writer {
  /** Writes once; resolves with the acknowledgement. */
  write: () => Promise<void>;
  /** Returns the differences between the state and the ledger, and accepts the state into the ledger. */
  compare: () => Promise<string[]>;
}

interface Setting {
  server: KilledServer;
  tracks: TrackOut[];
  random: () => number;
  music: string;
  files: SoundFiles;
}

function ledgerOf<T>(initialValue: T) {
  const ledger: Ledger<T> = { acked: initialValue, pending: undefined };
  return {
    ledger,
    async write(nextValue: T, call: () => Promise<unknown>): Promise<void> {
      ledger.pending = nextValue;
      await call();
      ledger.acked = nextValue;
      ledger.pending = undefined;
    },
    compare(currentValue: T, valueName: string): string[] {
      const [currentJson, ackedJson, pendingJson] = [currentValue, ledger.acked, ledger.pending].map((value) =>
        JSON.stringify(value),
      );
      ledger.acked = currentValue;
      const isAsExpected = currentJson === ackedJson || (ledger.pending !== undefined && currentJson === pendingJson);
      ledger.pending = undefined;
      return isAsExpected ? [] : [`${valueName}: ${currentJson} is there; acknowledged was ${ackedJson}`];
    },
  };
}

function likeWriter({ server, tracks, random }: Setting): Writer {
  const likes = ledgerOf<Record<number, boolean>>(Object.fromEntries(tracks.map(({ id }) => [id, false])));
  return {
    write() {
      const { id } = tracks[Math.floor(random() * tracks.length)] as TrackOut;
      const isLiked = !likes.ledger.acked[id];
      const body = { item_type: 'track', item_id: id, liked: isLiked };
      return likes.write({ ...likes.ledger.acked, [id]: isLiked }, () => server.call('/likes', 'POST', body));
    },
    async compare() {
      const likedById: Record<number, boolean> = {};
      for (const { id } of tracks) likedById[id] = (await server.call<TrackOut>(`/tracks/${id}`)).liked;
      return likes.compare(likedById, 'likes');
    },
  };
}

function playWriter({ server, tracks, random }: Setting): Writer {
  const plays = ledgerOf<string[]>([]);
  let hour = 0; // each play is at another hour, because plays of a track that are minutes apart count as one
  return {
    write() {
      const { id } = tracks[Math.floor(random() * tracks.length)] as TrackOut;
      const played_at = new Date(1_600_000_000_000 + ++hour * 3_600_000).toISOString();
      return plays.write([...plays.ledger.acked, `${id} ${played_at}`], () =>
        server.call('/history', 'POST', { track_id: id, played_at }),
      );
    },
    async compare() {
      const titles: string[] = [];
      for (let offset = 0; ; offset += 200) {
        const page = await server.call<{ items: HistoryOut[]; total: number }>(`/history?limit=200&offset=${offset}`);
        titles.push(...page.items.map(({ track, played_at }) => `${track?.id} ${played_at}`));
        if (offset + page.items.length >= page.total) break;
      }
      const pathOfLine = (line: string): string => line.slice(line.indexOf(' '));
      return plays.compare(
        titles.toSorted((a, b) => (pathOfLine(a) < pathOfLine(b) ? -1 : 1)),
        'plays',
      );
    },
  };
}

async function playlistWriter({ server, tracks, random }: Setting): Promise<Writer> {
  const { id } = await server.call<PlaylistOut>('/playlists', 'POST', { name: 'Killed' });
  const entries = ledgerOf<number[]>([]);
  const names = ledgerOf('Killed');
  let count = 0;
  const listEntries = async (): Promise<PlaylistEntryPage['items']> =>
    (await server.call<PlaylistEntryPage>(`/playlists/${id}/tracks?limit=200`)).items;
  return {
    async write() {
      const { acked } = entries.ledger;
      const kind = random();
      if (kind < 0.1) {
        const name = `Killed ${++count}`;
        return names.write(name, () => server.call(`/playlists/${id}`, 'PATCH', { name }));
      }
      if (kind < 0.7 || acked.length === 0) {
        const track = (tracks[Math.floor(random() * tracks.length)] as TrackOut).id;
        const position = Math.floor(random() * (acked.length + 1));
        return entries.write(acked.toSpliced(position, 0, track), () =>
          server.call(`/playlists/${id}/tracks`, 'POST', { track_ids: [track], position }),
        );
      }
      const currentEntries = await listEntries();
      const entryIndex = Math.floor(random() * currentEntries.length);
      if (kind < 0.85)
        return entries.write(acked.toSpliced(entryIndex, 1), () =>
          server.call(`/playlists/${id}/entries/${currentEntries[entryIndex]?.entry_id}`, 'DELETE'),
        );
      return entries.write(acked.toReversed(), () =>
        server.call(`/playlists/${id}/tracks`, 'PUT', {
          entry_ids: currentEntries.map(({ entry_id }) => entry_id).toReversed(),
        }),
      );
    },
    async compare() {
      const { name } = await server.call<PlaylistOut>(`/playlists/${id}`);
      const entryIds = (await listEntries()).map(({ track }) => track.id);
      return [...names.compare(name, 'name of the playlist'), ...entries.compare(entryIds, 'entries of the playlist')];
    },
  };
}

function editWriter({ server, tracks }: Setting): Writer {
  const { id, title: firstTitle } = tracks[0] as TrackOut;
  const title = ledgerOf(firstTitle);
  let count = 0;
  return {
    write() {
      const nextTitle = `Edited ${++count}`;
      const body = { title: nextTitle, artist: 'By hand', album: 'Edits' };
      return title.write(nextTitle, () => server.call(`/tracks/${id}/metadata`, 'PUT', body));
    },
    compare: async () => title.compare((await server.call<TrackOut>(`/tracks/${id}`)).title, 'edited title'),
  };
}

function uploadWriter({ server, files }: Setting): Writer {
  const uploadedFiles = new Map<number, string>();
  let count = 0;
  return {
    async write() {
      const title = `Upload ${++count}`;
      const form = new FormData();
      form.append('files', new Blob([readFileSync(files.make('upload.mp3', { TIT2: title }))]), 'upload.mp3');
      const { items } = await server.call<UploadOut>('/tracks/upload', 'POST', form);
      uploadedFiles.set((items[0] as TrackOut).id, title);
    },
    async compare() {
      const faults: string[] = [];
      for (const [id, title] of uploadedFiles) {
        const track = await server.call<TrackOut>(`/tracks/${id}`).catch(() => undefined);
        if (track?.title !== title) faults.push(`upload ${id}, ${title}, is ${track?.title}`);
        else if ((await server.stream(id)).bytes !== track.size_bytes) faults.push(`upload ${id} cannot be played`);
      }
      return faults;
    },
  };
}

/** Starts the activity during which the server is killed. */
async function begin(activity: Activity, { server, music, files, random }: Setting): Promise<void> {
  if (activity === 'scan' || activity === 'watch burst') {
    const name = `burst ${Math.floor(random() * 1e9)}`;
    mkdirSync(join(music, name));
    for (let n = 0; n < BURST_SIZE; n++) writeFile(join(music, name, `${n}.mp3`), files, `${name} ${n}`);
  }
  if (activity === 'scan') await server.startScan();
  if (activity === 'enrichment') await server.call('/jobs/enrich', 'POST', { scope: 'all' });
}

/** Writes a file with audio that no other file has. */
function writeFile(path: string, files: SoundFiles, title: string): void {
  const bytes = readFileSync(
    files.make('song.mp3', { TIT2: title, TPE1: 'The Quays', TALB: title.split(' ')[0] ?? '' }),
  );
  for (const [i, code] of [...title].entries()) bytes[bytes.length - 400 + i] = code.charCodeAt(0);
  writeFileSync(path, bytes);
}

/** Lets all writers write until this number of writes was acknowledged, and kills the server. */
async function writeUntilKilled(writers: Writer[], server: KilledServer, writes: number): Promise<void> {
  let remainingWrites = writes;
  let isKilled = false;
  const write = async (writer: Writer): Promise<void> => {
    while (!isKilled) {
      try {
        await writer.write();
      } catch (error) {
        if (isKilled) return; // the killed server sent no response
        throw error;
      }
      if (--remainingWrites === 0) {
        isKilled = true;
        await server.kill();
      }
    }
  };
  await Promise.all(writers.map(write));
}

interface KillOptions {
  seed: number;
  mode: Mode;
  activity: Activity;
  kills: number;
}

/** Returns the violated guarantees after the kills. */
export async function killWhile({ seed, mode, activity, kills }: KillOptions): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-kills-'));
  const music = join(dir, 'music');
  const files = makeSoundFiles();
  const random = seededRandom(seed);
  const fake = await startFakeAcoustId();
  const recordings = [
    { id: '00000000-0000-4000-8000-000000000001', title: 'Found', artists: [{ id: 'a', name: 'X' }] },
  ];
  fake.answer = () => ({ results: [{ id: '00000000-0000-4000-8000-000000000002', score: 0.99, recordings }] });
  mkdirSync(music);
  for (let n = 0; n < TRACK_COUNT; n++) writeFile(join(music, `${n}.mp3`), files, `Song ${n}`);
  const server = await openKilledServer({
    dataDir: join(dir, 'data'),
    env: {
      LOCAL_MEDIA_IMPORT_PATH: music,
      LOCAL_MEDIA_IMPORT_MODE: mode,
      LOCAL_MEDIA_WATCH: String(activity === 'watch burst'),
      ...(activity === 'enrichment' && { FPID_BASE_URL: fake.url, FPID_API_KEY: 'key', FPID_RATE_PER_SECOND: '1000' }),
    },
  });
  const faults: string[] = [];
  try {
    await server.scan();
    const { items: tracks } = await until(
      () => server.call<TrackPage>('/tracks?limit=200'),
      ({ total }) => total === TRACK_COUNT,
    );
    const setting: Setting = { server, tracks, random, music, files };
    const writers = [
      likeWriter(setting),
      playWriter(setting),
      await playlistWriter(setting),
      editWriter(setting),
      ...(activity === 'upload' ? [uploadWriter(setting)] : []),
    ];
    for (let kill = 1; kill <= kills; kill++) {
      await begin(activity, setting);
      await writeUntilKilled(writers, server, 1 + Math.floor(random() * MOST_WRITES));
      await server.restart();
      for (const writer of writers)
        for (const fault of await writer.compare()) faults.push(`${activity}, ${mode}, kill ${kill}: ${fault}`);
    }
    await server.idle();
    await server.scan();
    const { total } = await server.call<TrackPage>('/tracks?limit=1&source=local_folder');
    const bursts = activity === 'scan' || activity === 'watch burst' ? kills * BURST_SIZE : 0;
    if (total !== TRACK_COUNT + bursts)
      faults.push(`${activity}, ${mode}: ${total} tracks of ${TRACK_COUNT + bursts} files`);
  } finally {
    await server.close();
    await fake.close();
    for (const madeDir of [dir, files.dir]) rmSync(madeDir, { recursive: true, force: true });
  }
  return faults;
}

export async function proveKills({ seed, runs = 50 }: { seed: number; runs: number | undefined }) {
  console.log(`${runs} kills in each activity and mode from seed ${seed}`);
  const faults: string[] = [];
  for (const activity of KILLED_ACTIVITIES)
    for (const mode of ['copy', 'reference'] as const) {
      const lostWrites = await killWhile({ seed, mode, activity, kills: runs });
      console.log(`${activity}, ${mode} mode: ${lostWrites.length} of the acknowledged writes missing or different`);
      faults.push(...lostWrites);
    }
  for (const fault of faults) console.log(fault);
  return faults.length === 0;
}
