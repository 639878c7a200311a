// Like `identity`, but with real audio as MP3 and FLAC, real server processes, and SIGKILL at random moments of scans.
// Several sequences share a server, each in its own folder with its own music. In copy mode the audio of vanished files
// can still be fingerprinted; in reference mode no fingerprint exists yet.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { readFile } from '../../server/files/read-file.ts';
import { vorbisComment } from '../support/audio-bytes.ts';
import {
  createFolder,
  firstNames,
  hang,
  randomSteps,
  SOUNDS,
  SOUNDS_PER_SEQUENCE,
  type ChangingFolder,
  type Content,
  type Mode,
  type Step,
} from '../support/identity-folder.ts';
import { encodeMusic, writeMusic, type Encoding } from '../support/music.ts';
import { openKilledServer } from '../support/killed-server.ts';
import { createLikedNames } from '../support/liked-names.ts';
import { seenOnOtherDisk } from '../support/other-disk.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { retagMp3 } from '../support/retag.ts';

const SOUND_SECONDS = 10;
/** Encodings of each sound; their index is the number in the name of the audio: `<sound>-<number>`. */
const SOUND_ENCODINGS: Encoding[] = ['mp3', 'mp3-128', 'flac'];
/** Number of sounds per sequence that come from outside. */
const FOREIGN_SOUND_COUNT = 2;
const SCAN_SHARE = 0.35;
const REMOUNT_SHARE = 0.1;
const KILL_SHARE = 0.25;
/** The latest moment of a kill; a scan of these folders ends before it. */
const LATEST_KILL_MS = 600;

interface FileFailure {
  seed: number;
  mode: Mode;
  sequence: number;
  steps: Step[];
  faults: string[];
}

/**
 * Encoded audio without tags: bytes and hash by the name of the audio, and by its hash the number of the sound from
 * which it was encoded.
 */
interface Music {
  bytes: Map<string, Buffer>;
  hashes: Map<string, string>;
  sounds: Map<string, number>;
}

async function makeMusic(dir: string, seed: number, sequences: number): Promise<Music> {
  const music: Music = { bytes: new Map(), hashes: new Map(), sounds: new Map() };
  const wav = join(dir, 'tune.wav');
  for (let sequence = 0; sequence < sequences; sequence++)
    for (let n = 0; n < SOUNDS + FOREIGN_SOUND_COUNT; n++) {
      const sound = sequence * SOUNDS_PER_SEQUENCE + n;
      writeMusic(wav, { seed: seed + sound, seconds: SOUND_SECONDS });
      for (const [number, encoding] of SOUND_ENCODINGS.entries()) {
        if (n >= SOUNDS && number > 0) break;
        const [audioName, path] = [`${sound}-${number}`, join(dir, `tune.${encoding.split('-')[0]}`)];
        encodeMusic(wav, path, encoding);
        const { audioHash } = await readFile(path, { copyTarget: undefined, hashLarge: true, onStage: () => {} });
        if (audioHash === null) throw new Error(`no hash of ${encoding}`);
        music.bytes.set(audioName, fs.readFileSync(path));
        music.hashes.set(audioName, audioHash);
        music.sounds.set(audioHash, sound);
      }
    }
  return music;
}

/** Writes the audio with other tags. */
function writeTagged(path: string, bytes: Buffer, { title, album, artist }: Content): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  if (bytes.toString('latin1', 0, 4) === 'fLaC')
    return fs.writeFileSync(path, retagFlac(bytes, [`TITLE=${title}`, `ALBUM=${album}`, `ARTIST=${artist}`]));
  fs.writeFileSync(path, bytes);
  retagMp3(path, { TIT2: title, TALB: album, TPE1: artist });
}

function retagFlac(bytes: Buffer, comments: string[]): Buffer {
  const COMMENT = 4;
  const blocks: Buffer[] = [];
  let offset = 4;
  for (let isLast = false; !isLast;) {
    const length = bytes.readUIntBE(offset + 1, 3);
    const type = (bytes[offset] as number) & 0x7f;
    isLast = (bytes[offset] as number) >= 0x80;
    if (type !== COMMENT)
      blocks.push(Buffer.concat([Buffer.from([type]), bytes.subarray(offset + 1, offset + 4 + length)]));
    offset += 4 + length;
  }
  const body = vorbisComment(...comments);
  const head = Buffer.from([0x80 | COMMENT, 0, 0, 0]);
  head.writeUIntBE(body.length, 1, 3);
  return Buffer.concat([bytes.subarray(0, 4), ...blocks, head, body, bytes.subarray(offset)]);
}

const SERVER_OPS = new Set<Step['op']>(['scan', 'scan part', 'kill', 'remount']);

interface Sequence {
  steps: Step[];
  folder: ChangingFolder;
}

function openSequence(base: string, mode: Mode, music: Music, sequence: number, seed: number): Sequence {
  const root = join(base, 'music', `${sequence}`);
  const firstSound = sequence * SOUNDS_PER_SEQUENCE;
  const contents = new Map<string, Content>();
  const keyOf = (path: string): string => createHash('sha1').update(fs.readFileSync(path)).digest('hex');
  let [stamp, foreign, converted] = [0, 0, 0];
  const touch = (path: string): void => fs.utimesSync(path, 1_600_000_000, 1_600_000_000 + ++stamp);
  const write = (path: string, content: Content): void => {
    writeTagged(path, music.bytes.get(content.audio) as Buffer, content);
    contents.set(keyOf(path), content);
    touch(path);
  };
  const folder = createFolder({
    root,
    pathOf: (name) => join(root, name),
    sourceIdAt: (path) => path.slice(join(base, 'music').length + 1),
    sequenceNumber: sequence,
    awayDir: join(base, 'away', `${sequence}`),
    write,
    touch,
    isHeard: mode === 'copy',
    contentOf: (path) => contents.get(keyOf(path)) as Content,
    convert: (sound, extension) => {
      const n = sound % SOUNDS_PER_SEQUENCE;
      return `${sound}-${n >= SOUNDS ? 0 : extension === '.flac' ? 2 : ++converted % 2}`;
    },
    nextSound: () => firstSound + SOUNDS + (foreign++ % FOREIGN_SOUND_COUNT),
    hashOf: (audio) => music.hashes.get(audio) as string,
    soundOf: (hash) => music.sounds.get(hash ?? '') ?? -1,
  });
  for (let n = 0; n < SOUNDS; n++) {
    const sound = firstSound + n;
    const names = firstNames(sound, sequence);
    const content = { sound, audio: `${sound}-0`, title: `Title ${sound}`, ...names, isLarge: false };
    write(join(root, `folder ${n % 3}`, `${n}.mp3`), content);
  }
  const isOfServer = ({ op }: Step): boolean => SERVER_OPS.has(op);
  return { folder, steps: randomSteps(seed + sequence).filter((step) => !isOfServer(step)) };
}

/** Plays all sequences at once: after one step of each, a random number decides whether there is a scan or a kill. */
async function play(base: string, mode: Mode, music: Music, sequences: number, seed: number): Promise<FileFailure[]> {
  fs.mkdirSync(base);
  const openSequences = Array.from({ length: sequences }, (_, n) => openSequence(base, mode, music, n, seed));
  const server = await openKilledServer({
    dataDir: join(base, 'data'),
    env: {
      LOCAL_MEDIA_IMPORT_PATH: join(base, 'music'),
      LOCAL_MEDIA_IMPORT_MODE: mode,
      ANALYSIS_ENABLED: 'false',
    },
  });
  const random = seededRandom(seed);
  const likedNames = createLikedNames();
  let stamp = 0;
  const soundOf = (hash: string | null): number => music.sounds.get(hash ?? '') ?? -1;
  const withDatabase = <T>(use: (db: Database.Database) => T): T => {
    const db = new Database(join(base, 'data', 'tonearm.db'));
    db.pragma('busy_timeout = 10000');
    try {
      return use(db);
    } finally {
      db.close();
    }
  };
  const scan = async (): Promise<void> => {
    await server.scan();
    withDatabase((db) => {
      hang(db, soundOf, () => ++stamp);
      likedNames.noteTracks(db);
    });
  };
  try {
    withDatabase((db) =>
      db.exec("INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Mine', 0, 0)"),
    );
    await scan();
    withDatabase((db) => {
      likedNames.likeAll(db);
      likedNames.noteTracks(db);
    });
    const rounds = Math.max(...openSequences.map(({ steps }) => steps.length));
    for (let round = 0; round < rounds; round++) {
      for (const { steps, folder } of openSequences) {
        const step = steps[round];
        if (step) folder.change(step);
      }
      if (random() < REMOUNT_SHARE) withDatabase(seenOnOtherDisk);
      const chance = random();
      if (chance < SCAN_SHARE) await scan();
      else if (chance < SCAN_SHARE + KILL_SHARE) {
        await server.startScan();
        await sleep(random() * LATEST_KILL_MS);
        await server.restart();
        await server.idle(); // the server continues the scan
        withDatabase((db) => {
          hang(db, soundOf, () => ++stamp);
          likedNames.noteTracks(db);
        });
      }
    }
    await scan();
    await scan();
    return withDatabase((db) => {
      const ofNames = likedNames.faults(db);
      return [
        ...openSequences.flatMap(({ folder, steps }, sequence) => {
          const faults = folder.faults(db);
          return faults.length === 0 ? [] : [{ seed, mode, sequence, steps, faults }];
        }),
        ...(ofNames.length === 0 ? [] : [{ seed, mode, sequence: -1, steps: [], faults: ofNames }]),
      ];
    });
  } finally {
    await server.close();
    fs.rmSync(base, { recursive: true, force: true });
  }
}

const IMPORT_MODES: readonly Mode[] = ['copy', 'reference'];

/** Plays `runs` sequences, as many in each mode, `atOnce` on one server. */
export async function findFileFailures(
  seed: number,
  runs: number,
  atOnce: number,
  onDone = (_runs: number, _failures: FileFailure[]): void => {},
  modes = IMPORT_MODES,
): Promise<FileFailure[]> {
  const dir = fs.mkdtempSync(join(tmpdir(), 'tonearm-identity-files-'));
  try {
    const music = await makeMusic(dir, seed, atOnce);
    const failures: FileFailure[] = [];
    for (let doneCount = 0; doneCount < runs / modes.length; doneCount += atOnce) {
      for (const [modeNumber, mode] of modes.entries()) {
        const faults = await play(join(dir, mode), mode, music, atOnce, seed + doneCount);
        failures.push(...faults);
        onDone(modes.length * doneCount + atOnce * (modeNumber + 1), faults);
      }
    }
    return failures;
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

export async function proveIdentityFiles({ seed, runs = 300 }: { seed: number; runs: number | undefined }) {
  console.log(`${runs} sequences with real files from seed ${seed}`);
  const failures = await findFileFailures(seed, runs, Math.min(30, runs / 2), (doneCount, failureCount) => {
    for (const failure of failureCount) console.log(JSON.stringify(failure, undefined, 1));
    console.log(`${doneCount} of ${runs} done`);
  });
  console.log(`${failures.length} of ${runs} lost something, or put it on a wrong track`);
  return failures.length === 0;
}
