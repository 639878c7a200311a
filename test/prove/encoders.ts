// Tracks whose files are replaced by other encodings of the same recordings, moved and retagged, keep their user data;
// recordings that only sound alike are never confused. Uses real encoders, a real server process and both modes,
// without look-ups. All audio is rendered from seeds, no recorded music.
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { findFingerprint } from '../../server/enrichment/fingerprints.ts';
import type { TrackId } from '../../server/db/ids.ts';
import { SAME_RECORDING, soundSimilarity } from '../../server/media/fingerprint-match.ts';
import type { Mode } from '../support/identity-folder.ts';
import { openKilledServer } from '../support/killed-server.ts';
import { encodeMusic, writeMusic, type Encoding } from '../support/music.ts';
import { openMigrated } from '../support/temp-database.ts';
import { until } from '../support/until.ts';
import { EDIT_FILTERS, OTHER_RECORDINGS, PIECE_SECONDS } from './fingerprints.ts';

/** Encodings before and after an upgrade, used in turn. */
const ENCODING_UPGRADES: [Encoding, Encoding][] = [
  ['mp3-128', 'flac'],
  ['mp3', 'm4a'],
  ['ogg', 'flac'],
  ['m4a', 'opus'],
  ['opus', 'mp3-320'],
  ['mp3-128', 'mp3-320'],
  ['m4a', 'wav'],
  ['mp3-320', 'ogg'],
  ['flac', 'opus'],
];
const RECORDING_VERSIONS = ['the recording', ...Object.keys(OTHER_RECORDINGS)];
const PAIRS_PER_TUNE = (RECORDING_VERSIONS.length * (RECORDING_VERSIONS.length - 1)) / 2;

const extensionOf = (encoding: Encoding): string => encoding.split('-')[0] as string;

async function openLibrary(base: string, mode: Mode, isAnalyzing: boolean) {
  const [music, dataDir] = [join(base, 'music'), join(base, 'data')];
  fs.mkdirSync(music, { recursive: true });
  const server = await openKilledServer({
    dataDir,
    env: {
      LOCAL_MEDIA_IMPORT_PATH: music,
      LOCAL_MEDIA_IMPORT_MODE: mode,
      LOCAL_MEDIA_WATCH: 'false',
      FPID_ENABLED: 'false',
      ANALYSIS_ENABLED: String(isAnalyzing),
      ANALYSIS_ON_BATTERY: 'true',
    },
  });
  const withDatabase = <T>(use: (db: Database.Database) => T): T => {
    const db = new Database(join(dataDir, 'tonearm.db'));
    db.pragma('busy_timeout = 10000');
    try {
      return use(db);
    } finally {
      db.close();
    }
  };
  return {
    ...server,
    music,
    dataDir,
    withDatabase,
    ids: (): Map<string, number> =>
      withDatabase(
        (db) => new Map(db.prepare('SELECT source_id, id FROM tracks').raw().all() as unknown as [string, number][]),
      ),
  };
}

/** Upgrades the recordings; returns how many kept everything, and what the others lost. */
async function upgradeAll(mode: Mode, seed: number, runs: number): Promise<{ kept: number; lost: string[] }> {
  const base = fs.mkdtempSync(join(tmpdir(), 'tonearm-encoders-'));
  const library = await openLibrary(base, mode, mode === 'reference');
  const wav = join(base, 'tune.wav');
  const names = Array.from({ length: runs }, (_, n) => {
    const [from, to] = ENCODING_UPGRADES[n % ENCODING_UPGRADES.length] as [Encoding, Encoding];
    return { from, to, was: `old/${n % 7}/${n}.${extensionOf(from)}`, is: `new/${n % 5}/now ${n}.${extensionOf(to)}` };
  });
  try {
    for (const [n, { from, to, was, is }] of names.entries()) {
      writeMusic(wav, { seed: seed + n * 10, seconds: PIECE_SECONDS });
      const [oldPath, newPath] = [join(library.music, was), join(base, is)];
      for (const path of [oldPath, newPath]) fs.mkdirSync(dirname(path), { recursive: true });
      encodeMusic(wav, oldPath, from, { title: `Tune ${n}`, artist: 'The Quays', album: `Album ${n % 7}` });
      encodeMusic(wav, newPath, to, { title: `Another name ${n}`, artist: 'Quays', album: `Remastered ${n % 5}` });
    }
    await library.scan();
    if (mode === 'reference')
      await until(
        () =>
          library.withDatabase((db) => db.prepare('SELECT count(*) FROM track_fingerprints').pluck().get() as number),
        (fingerprintCount) => fingerprintCount === runs,
      );
    const ids = library.ids();
    library.withDatabase((db) => {
      db.exec("INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Mine', 0, 0)");
      for (const id of ids.values()) {
        db.prepare("INSERT INTO plays (user_id, track_id, title, played_at) VALUES (1, ?, 'x', 0)").run(id);
        db.prepare(
          "INSERT INTO like_states (user_id, item_type, item_id, liked, since) VALUES (1, 'track', ?, 1, 0)",
        ).run(id);
        db.prepare('INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) VALUES (1, ?, ?, 0)').run(
          id,
          id,
        );
      }
    });
    fs.rmSync(join(library.music, 'old'), { recursive: true });
    fs.cpSync(join(base, 'new'), join(library.music, 'new'), { recursive: true });
    await library.scan();
    const currentIds = library.ids();
    const hung = (id: number | undefined): number =>
      library.withDatabase(
        (db) =>
          db
            .prepare(
              `SELECT (SELECT count(*) FROM plays WHERE track_id = @id)
                + (SELECT count(*) FROM playlist_entries WHERE track_id = @id)
                + (SELECT count(*) FROM like_states WHERE item_type = 'track' AND item_id = @id AND liked)`,
            )
            .pluck()
            .get({ id }) as number,
      );
    const lostTracks = names
      .filter(({ was, is }) => currentIds.get(is) !== ids.get(was) || hung(currentIds.get(is)) !== 3)
      .map(({ from, to, was, is }) => `${mode}: ${was} (${from}) became ${currentIds.get(is)} as ${is} (${to})`);
    return { kept: runs - lostTracks.length, lost: lostTracks };
  } finally {
    await library.close();
    fs.rmSync(base, { recursive: true, force: true });
  }
}

/** Replaces each version of a tune by the next with the same title. Returns the wrongly matched pairs. */
async function playAlike(seed: number, tunes: number): Promise<{ pairs: number; wrong: string[] }> {
  const base = fs.mkdtempSync(join(tmpdir(), 'tonearm-encoders-'));
  const library = await openLibrary(base, 'copy', false);
  const wav = join(base, 'tune.wav');
  const madeTracks = new Map<string, number>();
  const wrongPairs: string[] = [];
  try {
    for (const [round, version] of RECORDING_VERSIONS.entries()) {
      fs.rmSync(join(library.music, `${round - 1}`), { recursive: true, force: true });
      fs.mkdirSync(join(library.music, `${round}`));
      for (let tune = 0; tune < tunes; tune++) {
        const piece = { seed: seed + tune * 10, seconds: PIECE_SECONDS };
        writeMusic(wav, { ...piece, ...OTHER_RECORDINGS[version]?.(piece.seed) });
        const [[, encoding]] = [ENCODING_UPGRADES[(tune + round) % ENCODING_UPGRADES.length] as [Encoding, Encoding]];
        const path = join(library.music, `${round}`, `${tune}.${extensionOf(encoding)}`);
        const tags = { title: `Tune ${tune}`, artist: 'The Quays', album: version };
        encodeMusic(wav, path, encoding, tags, version.startsWith('an edit') ? EDIT_FILTERS : []);
      }
      await library.scan();
      const ids = library.ids();
      const originals = new Set(madeTracks.values());
      for (const [sourceId, id] of ids)
        if (sourceId.startsWith(`${round}/`)) {
          if (originals.has(id)) wrongPairs.push(`${version}: ${sourceId} was taken for ${id}`);
          madeTracks.set(sourceId, id);
        }
      const presentIds = new Set(ids.values());
      for (const [sourceId, id] of madeTracks)
        if (!presentIds.has(id)) wrongPairs.push(`${version}: ${sourceId} is gone`);
    }
    // a file that fits two tracks is assigned to neither, so the fingerprints themselves are compared too
    const db = openMigrated(join(library.dataDir, 'tonearm.db'));
    const ofTune = Map.groupBy(madeTracks, ([sourceId]) => /(\d+)\.\w+$/.exec(sourceId)?.[1]);
    let pairs = 0;
    for (const versions of ofTune.values()) {
      const fingerprints = versions.flatMap(([sourceId, id]) => {
        const sound = findFingerprint(db, id as TrackId);
        return sound ? [{ sourceId, raw: sound.raw }] : [];
      });
      fingerprints.forEach((fingerprint, i) =>
        fingerprints.slice(i + 1).forEach((otherFingerprint) => {
          pairs++;
          const similarity = soundSimilarity(fingerprint.raw, otherFingerprint.raw);
          if (similarity >= SAME_RECORDING)
            wrongPairs.push(`${fingerprint.sourceId} and ${otherFingerprint.sourceId}: ${similarity}`);
        }),
      );
    }
    db.$client.close();
    return { pairs, wrong: wrongPairs };
  } finally {
    await library.close();
    fs.rmSync(base, { recursive: true, force: true });
  }
}

/** Runs the proof with `runs` recordings in each mode, and ten pairs for each of them. */
export async function proveEncoders({ seed, runs = 200 }: { seed: number; runs: number | undefined }) {
  let isProven = true;
  for (const mode of ['copy', 'reference'] as const) {
    const { kept, lost } = await upgradeAll(mode, seed, runs);
    console.log(`${mode} mode: ${kept} of ${runs} recordings of ${PIECE_SECONDS} s kept everything`);
    for (const line of lost) console.log(line);
    isProven &&= kept >= 0.99 * runs;
  }
  const { pairs, wrong } = await playAlike(seed, Math.ceil((runs * 10) / PAIRS_PER_TUNE));
  console.log(`${wrong.length} wrong among ${pairs} pairs that only sound alike`);
  for (const line of wrong) console.log(line);
  return isProven && wrong.length === 0;
}
