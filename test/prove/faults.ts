// Lets the clock, the log, the disk, folder permissions and the music folder of a running server fail at random
// moments: no acknowledged write is lost, and the server continues, or ends with a message.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { serverEntry } from '../support/bundle.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { ADMIN, offline } from '../support/server.ts';
import { until } from '../support/until.ts';
import { sayLeftOut } from '../support/left-out.ts';

const TRACK_COUNT = 30;
const DISK_SIZE = '200m';
const DAY_MS = 86_400_000;
/** User id of the server if the proof runs as root, whom permissions do not restrict. */
const ACCOUNT_ID = process.getuid?.() === 0 ? 65_534 : undefined;
const CLOCK_SCRIPT = join(import.meta.dirname, '..', 'support', 'shifted-clock.ts');
const CHECK_EVERY = 20;
/** Time after which the server has read the changed clock. */
const CLOCK_READ_MS = 200;

type Fault = 'clock' | 'log' | 'disk' | 'rights' | 'mount' | 'kill';
const FAULT_KINDS: readonly Fault[] = ['clock', 'log', 'disk', 'rights', 'mount', 'kill'];

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** Holds the acknowledged value, and the values that unanswered requests may have written since. */
class ExpectedValue<T> {
  #values: T[];
  constructor(initialValue: T) {
    this.#values = [initialValue];
  }
  note(value: T, isAcknowledged: boolean): void {
    if (isAcknowledged) this.#values = [value];
    else this.#values.push(value);
  }
  accepts = (value: T): boolean => this.#values.includes(value);
  toString = (): string => this.#values.map(String).join(' or ');
}

interface Place {
  data: string;
  music: string;
  clock: string;
  /** A separate disk that can be filled; undefined if none can be mounted. */
  disk: string | undefined;
}

async function startServer({ data, music, clock }: Place) {
  const env = {
    ...process.env,
    ...offline({}),
    LOCAL_MEDIA_IMPORT_PATH: music,
    LOCAL_MEDIA_IMPORT_MODE: 'reference',
    LOCAL_MEDIA_WATCH: 'false',
    MIN_FREE_BYTES: '0',
    ANALYSIS_ENABLED: 'false',
    SHIFTED_CLOCK: clock,
    TMPDIR: '/tmp',
  };
  const child: ChildProcess = spawn(
    process.execPath,
    ['--import', CLOCK_SCRIPT, serverEntry(), '--data-dir', data, '--port', '0'],
    { env, stdio: ['ignore', 'pipe', 'pipe'], ...(ACCOUNT_ID !== undefined && { uid: ACCOUNT_ID, gid: ACCOUNT_ID }) },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('error', () => undefined);
    stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-100_000)));
  }
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const url = await until(() => /listening on (http:\S+?)(?:["\s]|$)/.exec(output)?.[1] ?? (isOver() ? 'over' : ''));
  return { child, url, output: () => output, isOver };
}

type Server = Awaited<ReturnType<typeof startServer>>;

export async function playFaults(seed: number, faults: number): Promise<string[]> {
  const base = fs.mkdtempSync(join(tmpdir(), 'tonearm-faults-'));
  const folders = layOut(base);
  const random = seededRandom(seed);
  const randomBelow = (n: number): number => Math.floor(random() * n);
  const violations: string[] = [];
  const counts: Record<string, number> = {};
  let server = await startServer(folders);
  const token: string = await signUp(server);
  let [requestCount, refusedCount, acknowledgedCount] = [0, 0, 0];

  async function callApi(path: string, method = 'GET', body?: unknown): Promise<Answer | undefined> {
    try {
      const isForm = body instanceof FormData;
      const answer = await fetch(`${server.url}/api/v1${path}`, {
        method,
        headers: {
          connection: 'close',
          authorization: `Bearer ${token}`,
          ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
      const text = await answer.text();
      if (answer.ok) acknowledgedCount++;
      else {
        refusedCount++;
        if (answer.status === 500) violations.push(`${method} ${path}: 500 ${text.slice(0, 200)}`);
      }
      return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
    } catch {
      return undefined; // without a response the request may have been executed or not
    }
  }
  const isDone = (answer: Answer | undefined): boolean => answer !== undefined && answer.status < 300;
  /**
   * Returns whether the request was refused, so that it changed nothing. Without a response, or with a 5xx, the change
   * may have been made.
   */
  const isRefused = (answer: Answer | undefined): boolean =>
    answer !== undefined && answer.status >= 400 && answer.status < 500;

  const ids = await scanAll();
  const [likedValues, ratingValues, titleValues] = [
    new Map<number, ExpectedValue<boolean>>(),
    new Map<number, ExpectedValue<number>>(),
    new Map<number, ExpectedValue<string>>(),
  ];
  for (const id of ids) {
    likedValues.set(id, new ExpectedValue(false));
    ratingValues.set(id, new ExpectedValue(0));
    titleValues.set(id, new ExpectedValue(String((await callApi(`/tracks/${id}`))?.body['title'])));
  }
  const plays = new Map<number, { minimum: number; maximum: number }>(
    ids.map((id) => [id, { minimum: 0, maximum: 0 }]),
  );
  const playlistId = Number((await callApi('/playlists', 'POST', { name: 'Mine' }))?.body['id']);
  const entries = new Map<number, { minimum: number; maximum: number }>(
    ids.map((id) => [id, { minimum: 0, maximum: 0 }]),
  );
  const uploads: number[] = [];
  const [deletedId = 0, ...remainingIds] = ids;
  if (!isDone(await callApi(`/tracks/${deletedId}`, 'DELETE'))) throw new Error('the first track could not be deleted');

  const count = (
    boundsById: Map<number, { minimum: number; maximum: number }>,
    id: number,
    isAcknowledged: boolean,
    isSure: boolean,
  ): void => {
    const bounds = boundsById.get(id);
    if (!bounds) return;
    if (isAcknowledged) bounds.minimum++;
    if (isAcknowledged || !isSure) bounds.maximum++;
  };
  let nameCount = 0;
  const CLIENT_ACTIONS: (() => Promise<void>)[] = [
    async () => {
      const [id, value] = [remainingIds[randomBelow(remainingIds.length)] ?? 0, randomBelow(2) === 0];
      const answer = await callApi('/likes', 'POST', { item_type: 'track', item_id: id, liked: value });
      if (!isRefused(answer)) likedValues.get(id)?.note(value, isDone(answer));
    },
    async () => {
      const [id, value] = [remainingIds[randomBelow(remainingIds.length)] ?? 0, 1 + randomBelow(5)];
      const state = likedValues.get(id);
      const answer = await callApi('/likes', 'POST', { item_type: 'track', item_id: id, liked: true, rating: value });
      if (isRefused(answer)) return;
      state?.note(true, isDone(answer));
      ratingValues.get(id)?.note(value, isDone(answer));
    },
    async () => {
      const id = remainingIds[randomBelow(remainingIds.length)] ?? 0;
      const played_at = new Date(Date.UTC(2026, 0, 1) + nameCount++ * 3_600_000).toISOString();
      const answer = await callApi('/history', 'POST', { track_id: id, played_at, played_ms: 200_000 });
      count(plays, id, isDone(answer), isRefused(answer));
    },
    async () => {
      const id = remainingIds[randomBelow(remainingIds.length)] ?? 0;
      const answer = await callApi(`/playlists/${playlistId}/tracks`, 'POST', { track_ids: [id] });
      count(entries, id, isDone(answer), isRefused(answer));
    },
    async () => {
      const [id, title] = [remainingIds[randomBelow(remainingIds.length)] ?? 0, `Named ${++nameCount}`];
      const answer = await callApi(`/tracks/${id}`, 'PATCH', { title });
      if (!isRefused(answer)) titleValues.get(id)?.note(title, isDone(answer));
    },
    async () => {
      const form = new FormData();
      form.append(
        'files',
        new Blob([new Uint8Array(song(`Upload ${++nameCount}`, 1_000 + nameCount))]),
        `upload-${nameCount}.mp3`,
      );
      const answer = await callApi('/tracks/upload', 'POST', form);
      const [item] = (answer?.body['items'] ?? []) as { id?: number; track?: { id: number } }[];
      const id = item?.track?.id ?? item?.id;
      if (isDone(answer) && id !== undefined) uploads.push(id);
    },
    async () => void (await callApi('/sources/local_folder/scan', 'POST')),
    async () => void (await callApi('/tracks?limit=5')),
  ];

  async function scanAll(): Promise<number[]> {
    await callApi('/sources/local_folder/scan', 'POST');
    const tracks = await until(
      async () => ((await callApi('/tracks?limit=200'))?.body['items'] ?? []) as { id: number }[],
      (items) => items.length === TRACK_COUNT,
      { everyMs: 100 },
    );
    return tracks.map(({ id }) => id);
  }

  async function restart(): Promise<void> {
    if (!server.isOver()) {
      server.child.kill('SIGKILL');
      await once(server.child, 'exit');
    }
    server = await startServer(folders);
    if (server.isOver()) violations.push(`it does not start again: ${server.output().slice(-500)}`);
  }

  /** Causes the fault; returns the function that ends it. */
  async function startFault(fault: Fault): Promise<() => Promise<void> | void> {
    switch (fault) {
      case 'clock': {
        const years = [2, -5, 0.2, 30][randomBelow(4)] ?? 2;
        fs.writeFileSync(folders.clock, String(Math.round(years * 365 * DAY_MS)));
        if (randomBelow(2) === 0) await restart();
        return async () => {
          fs.writeFileSync(folders.clock, '0');
          if (randomBelow(2) === 0) await restart();
          else await sleep(CLOCK_READ_MS);
          await callApi('/status'); // windows also request this from time to time
        };
      }
      case 'log':
        server.child.stdout?.destroy();
        server.child.stderr?.destroy();
        return restart;
      case 'disk': {
        if (!folders.disk) return () => undefined;
        const filler = join(folders.disk, 'filler');
        spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'], { stdio: 'ignore' });
        if (randomBelow(3) === 0) await restart();
        return async () => {
          fs.rmSync(filler, { force: true });
          if (server.isOver()) await restart();
        };
      }
      case 'rights': {
        const names = ['', 'tmp', 'library']
          .map((name) => join(folders.data, name))
          .filter((path) => fs.existsSync(path));
        const path = [...names, folders.music][randomBelow(names.length + 1)] ?? folders.music;
        const { mode } = fs.statSync(path);
        fs.chmodSync(path, randomBelow(2) === 0 ? 0o000 : 0o500);
        return () => fs.chmodSync(path, mode & 0o777);
      }
      case 'mount': {
        const movedMusic = `${folders.music}.away`;
        fs.renameSync(folders.music, movedMusic);
        const isEmpty = randomBelow(2) === 0;
        if (isEmpty) fs.mkdirSync(folders.music);
        return () => {
          if (isEmpty) fs.rmdirSync(folders.music);
          if (randomBelow(2) === 0) fs.renameSync(movedMusic, folders.music);
          else {
            spawnSync('cp', ['-a', movedMusic, folders.music]);
            fs.rmSync(movedMusic, { recursive: true });
          }
        };
      }
      case 'kill':
        server.child.kill('SIGKILL');
        await once(server.child, 'exit');
        return restart;
    }
  }

  const idle = () =>
    until(
      async () => ((await callApi('/jobs?limit=100'))?.body['items'] ?? []) as { status: string }[],
      (jobs) => jobs.every(({ status }) => status !== 'running' && status !== 'queued'),
      { everyMs: 100 },
    );

  async function listLosses(): Promise<string[]> {
    const lostWrites: string[] = [];
    const alive = await callApi('/users/me');
    if (alive?.status !== 200) return [`nobody is signed in any more: ${alive?.status} ${JSON.stringify(alive?.body)}`];
    await idle();
    // waits until delayed work has ended; then a scan finds every file
    await until(
      async () => {
        const scanStart = await callApi('/sources/local_folder/scan', 'POST');
        await idle();
        const { status, result, error } = (await callApi(`/jobs/${String(scanStart?.body['id'])}`))?.body ?? {};
        const { failed_count: failedCount = -1 } = (result ?? {}) as { failed_count?: number };
        return `${scanStart?.status} ${String(status)} ${String(error)}: ${failedCount} failed`;
      },
      (outcome) => outcome.endsWith('succeeded null: 0 failed'),
      { everyMs: 1_000 },
    );
    for (const id of remainingIds) {
      const { status, body } = (await callApi(`/tracks/${id}`)) ?? { status: 0, body: {} };
      if (status !== 200) lostWrites.push(`track ${id}: ${status}`);
      else {
        if (body['availability'] !== 'available') lostWrites.push(`track ${id} is ${String(body['availability'])}`);
        if (!titleValues.get(id)?.accepts(String(body['title'])))
          lostWrites.push(`title of ${id}: ${String(body['title'])}`);
        const playCount = Number(body['play_count']);
        const { minimum, maximum } = plays.get(id) ?? { minimum: 0, maximum: 0 };
        if (playCount < minimum || playCount > maximum)
          lostWrites.push(`plays of ${id}: ${playCount}, and not ${minimum} to ${maximum}`);
      }
    }
    const states = (
      await callApi(`/likes/state?item_type=track&${remainingIds.map((id) => `item_id=${id}`).join('&')}`)
    )?.body as unknown as { item_id: number; liked: boolean; rating: number }[];
    for (const { item_id: id, liked: isLiked, rating } of states) {
      if (!likedValues.get(id)?.accepts(isLiked))
        lostWrites.push(`like of ${id}: ${isLiked}, and not ${likedValues.get(id)?.toString()}`);
      if (!ratingValues.get(id)?.accepts(rating))
        lostWrites.push(`rating of ${id}: ${rating}, and not ${ratingValues.get(id)?.toString()}`);
    }
    const playlistEntries = ((await callApi(`/playlists/${playlistId}`))?.body['entries'] ?? []) as {
      track: { id: number };
    }[];
    for (const id of remainingIds) {
      const entryCount = playlistEntries.filter(({ track }) => track.id === id).length;
      const { minimum, maximum } = entries.get(id) ?? { minimum: 0, maximum: 0 };
      if (entryCount < minimum || entryCount > maximum)
        lostWrites.push(`entries of ${id}: ${entryCount}, and not ${minimum} to ${maximum}`);
    }
    for (const id of uploads)
      if ((await callApi(`/tracks/${id}`))?.status !== 200) lostWrites.push(`upload ${id} is gone`);
    const trash = (await callApi('/trash'))?.body['total'];
    if (trash !== 1) lostWrites.push(`${String(trash)} tracks are in the trash, and not one`);
    return lostWrites;
  }

  try {
    for (let faultNumber = 0; faultNumber < faults && violations.length === 0; faultNumber++) {
      const fault = FAULT_KINDS[randomBelow(FAULT_KINDS.length)] ?? 'kill';
      counts[fault] = (counts[fault] ?? 0) + 1;
      const end = await startFault(fault);
      for (let act = 1 + randomBelow(5); act > 0; act--) await CLIENT_ACTIONS[randomBelow(CLIENT_ACTIONS.length)]?.();
      await end();
      if (server.isOver()) {
        if (server.output().trim() === '') violations.push(`it ended without a word at ${fault}`);
        else requestCount++;
        await restart();
      }
      for (let act = randomBelow(3); act > 0; act--) await CLIENT_ACTIONS[randomBelow(CLIENT_ACTIONS.length)]?.();
      if ((faultNumber + 1) % CHECK_EVERY !== 0 && faultNumber + 1 < faults) continue;
      for (const loss of await listLosses()) violations.push(`after fault ${faultNumber + 1} (${fault}): ${loss}`);
      console.log(
        `${faultNumber + 1} faults (${JSON.stringify(counts)}), ${acknowledgedCount} acknowledged, ${refusedCount} refused, ended in words ${requestCount} times: ${violations.length} wrong`,
      );
    }
    if (violations.length > 0) {
      await sleep(CLOCK_READ_MS); // waits for the last lines of the log
      console.log(server.output().slice(-3_000));
    }
    return violations;
  } finally {
    server.child.kill('SIGKILL');
    await sleep(100);
    if (folders.disk) spawnSync('umount', ['-l', folders.disk]);
    fs.rmSync(base, { recursive: true, force: true });
  }
}

async function signUp(server: Server): Promise<string> {
  const setup_token = await until(() => /Setup token: (\S+)/.exec(server.output())?.[1]);
  const answer = await fetch(`${server.url}/api/v1/auth/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...ADMIN, setup_token }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

const song = (title: string, frames: number): Buffer =>
  Buffer.concat([id3([id3Frame('TIT2', utf8Text(title)), id3Frame('TPE1', utf8Text('The Quays'))]), silentMp3(frames)]);

function layOut(base: string): Place {
  fs.chmodSync(base, 0o755);
  const [disk, music] = [join(base, 'disk'), join(base, 'folder', 'music')];
  fs.mkdirSync(disk);
  fs.mkdirSync(music, { recursive: true });
  const isMounted =
    ACCOUNT_ID !== undefined &&
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE}`, 'tmpfs', disk]).status === 0;
  if (!isMounted) sayLeftOut('No disk can be mounted here: a full disk is NOT tried.');
  for (let n = 0; n < TRACK_COUNT; n++) fs.writeFileSync(join(music, `${n}.mp3`), song(`Title ${n}`, 60 + n));
  const data = join(disk, 'data');
  fs.mkdirSync(data);
  if (ACCOUNT_ID !== undefined)
    for (const path of [data, join(base, 'folder'), music]) fs.chownSync(path, ACCOUNT_ID, ACCOUNT_ID);
  return { data, music, clock: join(base, 'clock'), disk: isMounted ? disk : undefined };
}

export async function proveFaults({ seed, runs = 300 }: { seed: number; runs: number | undefined }): Promise<boolean> {
  // the server ends with this process
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  process.setMaxListeners(0); // each start adds a listener
  console.log(`${runs} faults from seed ${seed}`);
  const violations = await playFaults(seed, runs);
  for (const fault of violations) console.log(fault);
  return violations.length === 0;
}
