// Finds the tracks that are due, and reads and writes the results of their audio. Statements are prepared, because they
// run for every track.
import { SAME_LENGTH_MS } from '../media/fingerprint-match.ts';
import type { Sqlite } from '../db/client.ts';
import type { AlbumId, TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import { inNamedAlbum } from '../db/unknown-names.ts';
import type { albumLoudness, audioAnalyses } from '../db/schema.ts';
import { fineEnergySql, MOODS, moodSql, type Mood } from '../library/lists/moods.ts';
import { MIN_KEY_CONFIDENCE, MIN_TEMPO_CONFIDENCE, STEPS, STEP_NAMES, type Step } from './steps.ts';

export interface DueTrack {
  id: TrackId;
  /** Key of the audio's row in audio_analyses. */
  key: string;
}

/** SQL for the key of a track's audio. A track whose audio was not hashed gets a key of its own. */
export const AUDIO_KEY = `iif(t.audio_hash = '-',
  '-' || t.id || '-' || coalesce(t.content_hash, t.size_bytes || '-' || t.duration_ms), t.audio_hash)`;
const versionOf = (step: Step): string => `a.${step}_version`;
/** A fingerprint belongs to a track; all other results belong to the audio. */
const HAS_FINGERPRINT_SQL = 'EXISTS (SELECT 1 FROM track_fingerprints f WHERE f.track_id = t.id)';
const FINGERPRINT_DUE_SQL = `NOT ${HAS_FINGERPRINT_SQL} AND (a.fingerprint_version <> ${STEPS.fingerprint}
  OR a.no_fingerprint IS NULL AND a.failure IS NULL)`;
const IS_DUE_SQL = [
  'a.audio_key IS NULL',
  'a.retry_at <= @now',
  ...STEP_NAMES.filter((step) => step !== 'fingerprint').map((step) => `${versionOf(step)} <> ${STEPS[step]}`),
  `(${FINGERPRINT_DUE_SQL})`,
].join(' OR ');
const isDone = (step: Step): string => {
  const isCurrent = `coalesce(${versionOf(step)}, 0) = ${STEPS[step]}`;
  return step === 'fingerprint' ? `(${HAS_FINGERPRINT_SQL} OR ${isCurrent})` : isCurrent;
};
/**
 * SQL condition: the row of the track lacks a value that was measured for its audio, because the row was rewritten or
 * another track with this audio was added.
 */
const isUnfilled = (column: string, field: string, measuredSql: string): string =>
  `(t.${column} IS NULL AND ${measuredSql} AND t.provenance ->> '$.${field}' IS NOT 'manual')`;
const IS_UNFILLED_SQL = [
  '(t.measured_gain_db IS NULL AND a.loudness_lufs IS NOT NULL)',
  isUnfilled('bpm', 'bpm', `a.bpm_confidence >= ${MIN_TEMPO_CONFIDENCE}`),
  isUnfilled('initial_key', 'initialKey', `a.key_confidence >= ${MIN_KEY_CONFIDENCE}`),
  isUnfilled('energy', 'energy', 'a.energy IS NOT NULL'),
].join(' OR ');
const FROM_TRACKS_SQL = `FROM tracks t LEFT JOIN audio_analyses a ON a.audio_key = ${AUDIO_KEY}`;
const WITH_AUDIO_SQL = "t.availability = 'available' AND t.audio_hash IS NOT NULL";

export type AnalysisRow = RowAs<typeof audioAnalyses, keyof typeof audioAnalyses.$inferSelect>;
export type Counts = Record<'total' | 'failed' | 'sureTempo' | 'sureKey' | 'dueAudioMs' | Step, number>;
type Versions = Record<Step, number> & Pick<AnalysisRow, 'failure' | 'noFingerprint' | 'retryAt'>;
export type AlbumLoudnessRow = RowAs<typeof albumLoudness, keyof typeof albumLoudness.$inferSelect>;

const VERSION_COLUMNS = STEP_NAMES.map((step) => `${step}_version AS ${step}`).join(', ');

export function createAnalysisQueries(client: Sqlite) {
  const listDue = client.prepare<{ afterId: number; upToId: number; now: number }, DueTrack>(
    `SELECT t.id, ${AUDIO_KEY} AS key ${FROM_TRACKS_SQL}
      WHERE t.id > @afterId AND t.id <= @upToId AND ${WITH_AUDIO_SQL} AND (${IS_DUE_SQL} OR ${IS_UNFILLED_SQL})`,
  );
  // tracks with the same title and length as another track, but other audio; both tracks of such a pair are found
  const listLikelyUpgrades = client.prepare<{ afterId: number; upToId: number }, DueTrack>(
    `SELECT t.id, ${AUDIO_KEY} AS key ${FROM_TRACKS_SQL}
      WHERE t.id > @afterId AND t.id <= @upToId AND ${WITH_AUDIO_SQL} AND a.audio_key IS NULL
        AND NOT ${HAS_FINGERPRINT_SQL}
        AND EXISTS (SELECT 1 FROM tracks o WHERE o.title_sort = t.title_sort AND o.id <> t.id
          AND o.artist_sort = t.artist_sort AND o.audio_hash <> t.audio_hash
          AND abs(o.duration_ms - t.duration_ms) <= ${SAME_LENGTH_MS})`,
  );
  const versions = client.prepare<[string], Versions>(
    `SELECT ${VERSION_COLUMNS}, failure, no_fingerprint AS noFingerprint, retry_at AS retryAt
      FROM audio_analyses WHERE audio_key = ?`,
  );
  const findPrinted = client
    .prepare<{ id: TrackId; key: string }, TrackId>(
      `SELECT t.id FROM tracks t JOIN track_fingerprints f ON f.track_id = t.id
        WHERE t.audio_hash = @key AND t.id <> @id LIMIT 1`,
    )
    .pluck();
  const counts = client.prepare<{ afterId: number; upToId: number }, Counts>(
    `SELECT count(*) AS total, total(a.failure IS NOT NULL) AS failed,
      total(a.bpm_confidence >= ${MIN_TEMPO_CONFIDENCE}) AS sureTempo,
      total(a.key_confidence >= ${MIN_KEY_CONFIDENCE}) AS sureKey,
      total(iif(${STEP_NAMES.map(isDone).join(' AND ')}, 0, t.duration_ms)) AS dueAudioMs,
      ${STEP_NAMES.map((step) => `total(${isDone(step)}) AS ${step}`).join(', ')}
      ${FROM_TRACKS_SQL} WHERE t.id > @afterId AND t.id <= @upToId AND t.availability = 'available'`,
  );
  const newest = client.prepare<[], number>('SELECT coalesce(max(id), 0) FROM tracks').pluck();
  const changes = client.prepare<[], number>("SELECT changes FROM change_counts WHERE topic = 'library'").pluck();
  const insert = client.prepare('INSERT INTO audio_analyses (audio_key) VALUES (?) ON CONFLICT DO NOTHING');
  const setters = new Map<string, ReturnType<Sqlite['prepare']>>();
  const ofTrack = client.prepare<[TrackId], AnalysisRow>(`SELECT ${COLUMN_NAMES} ${FROM_TRACKS_SQL} WHERE t.id = ?`);

  const energyAndMoods = client.prepare<[TrackId], { percent: number | null } & Record<Mood, number | null>>(
    `SELECT (SELECT max(percent) FROM energy_ranks WHERE energy <= ${fineEnergySql('t')}) AS percent,
      ${MOODS.map((mood) => `(${moodSql(mood, 't')}) AS ${mood}`).join(', ')} FROM tracks t WHERE t.id = ?`,
  );
  const newestAlbum = client.prepare<[], number>('SELECT coalesce(max(id), 0) FROM albums').pluck();
  const listAlbumsOf = client
    .prepare<{ afterId: number; upToId: number }, AlbumId>(
      'SELECT DISTINCT album_id FROM tracks t WHERE id > @afterId AND id <= @upToId AND ' + inNamedAlbum('t'),
    )
    .pluck();
  // albums whose tracks have all been measured, if these are not the ones that the stored gain was computed from. The
  // alias is `newMembers`, because HAVING would read `members` as the column
  const listAlbumsDue = client.prepare<{ afterId: number; upToId: number }, { id: AlbumId; newMembers: string }>(
    `SELECT t.album_id AS id, '${STEPS.loudness}:' || count(*) || ':' || sum(a.rowid) || ':' ||
        sum(a.rowid * a.rowid % 999983) AS newMembers
      ${FROM_TRACKS_SQL} LEFT JOIN album_loudness l ON l.album_id = t.album_id
      WHERE t.album_id > @afterId AND t.album_id <= @upToId AND ${inNamedAlbum('t')} AND ${WITH_AUDIO_SQL}
      GROUP BY t.album_id HAVING min(coalesce(a.loudness_version, 0)) = ${STEPS.loudness}
        AND (max(l.members) IS NOT newMembers
          OR max(t.measured_gain_db IS NOT NULL AND t.measured_album_gain_db IS NULL))`,
  );
  const listAlbumAudio = client.prepare<[AlbumId], Pick<AnalysisRow, 'loudnessBlocks' | 'truePeak'>>(
    `SELECT a.loudness_blocks AS loudnessBlocks, a.true_peak AS truePeak ${FROM_TRACKS_SQL}
      WHERE t.album_id = ? AND ${WITH_AUDIO_SQL} AND a.loudness_blocks IS NOT NULL`,
  );
  const storeAlbum = client.prepare<AlbumLoudnessRow>(
    `INSERT INTO album_loudness (album_id, members, loudness_lufs, loudness_range_lu, true_peak)
      VALUES (@albumId, @members, @loudnessLufs, @loudnessRangeLu, @truePeak)
      ON CONFLICT (album_id) DO UPDATE SET members = excluded.members, loudness_lufs = excluded.loudness_lufs,
        loudness_range_lu = excluded.loudness_range_lu, true_peak = excluded.true_peak`,
  );
  const albumOf = client.prepare<[TrackId], AlbumLoudnessRow>(
    `SELECT l.album_id AS albumId, members, loudness_lufs AS loudnessLufs, loudness_range_lu AS loudnessRangeLu,
      true_peak AS truePeak FROM tracks t JOIN album_loudness l ON l.album_id = t.album_id WHERE t.id = ?`,
  );
  const nextRetry = client.prepare<[], number | null>('SELECT min(retry_at) FROM audio_analyses').pluck();
  const retryAll = client.prepare('UPDATE audio_analyses SET retry_at = 0 WHERE retry_at IS NOT NULL');
  const newestRow = client.prepare<[], number>('SELECT coalesce(max(rowid), 0) FROM audio_analyses').pluck();
  const isUsed = `EXISTS (SELECT 1 FROM tracks t WHERE t.audio_hash = a.audio_key) OR a.audio_key LIKE '-%'
    AND EXISTS (SELECT 1 FROM tracks t WHERE t.id = CAST(substr(a.audio_key, 2) AS INTEGER)
      AND ${AUDIO_KEY} = a.audio_key)`;
  const markUnused = client.prepare<{ afterId: number; upToId: number; now: number }>(
    `UPDATE audio_analyses AS a SET unused_since = iif(${isUsed}, NULL, @now)
      WHERE rowid > @afterId AND rowid <= @upToId AND (unused_since IS NULL) <> (${isUsed})`,
  );
  const removeUnused = client.prepare<{ afterId: number; upToId: number; until: number }>(
    'DELETE FROM audio_analyses WHERE rowid > @afterId AND rowid <= @upToId AND unused_since <= @until',
  );
  const clearAlbums = client.prepare('DELETE FROM album_loudness');
  const clearSome = client.prepare<[number]>(
    'DELETE FROM audio_analyses WHERE rowid IN (SELECT rowid FROM audio_analyses LIMIT ?)',
  );

  return {
    listDue: (afterId: number, upToId: number, now: number): DueTrack[] => listDue.all({ afterId, upToId, now }),
    /**
     * Returns those of the tracks in this range of ids that were never analyzed and may be another file of an available
     * one.
     */
    listLikelyUpgrades: (afterId: number, upToId: number): DueTrack[] => listLikelyUpgrades.all({ afterId, upToId }),
    versions: (key: string): Versions | undefined => versions.get(key),
    /** Returns another track with the same audio that has a fingerprint. */
    findPrinted: (track: DueTrack): TrackId | undefined => findPrinted.get(track),
    /** Writes some columns of the row of an audio. */
    store(key: string, values: Partial<Omit<AnalysisRow, 'audioKey'>>): void {
      insert.run(key);
      const names = Object.keys(values);
      const sql = names.map((name) => `${snake(name)} = @${name}`).join(', ');
      const setter = setters.get(sql) ?? client.prepare(`UPDATE audio_analyses SET ${sql} WHERE audio_key = @key`);
      setters.set(sql, setter);
      setter.run({ ...values, key });
    },
    ofTrack: (id: TrackId): AnalysisRow | undefined => ofTrack.get(id),
    /** Returns the percentage of the library that has less energy than the track, and the moods of the track. */
    energyPlace(id: TrackId): { percent: number | null; moods: Mood[] } {
      const { percent = null, ...isOf } = energyAndMoods.get(id) ?? {};
      return { percent, moods: MOODS.filter((mood) => (isOf as Partial<Record<Mood, number | null>>)[mood] === 1) };
    },
    /** Counts the tracks in this range of ids. */
    counts: (afterId: number, upToId: number) => counts.get({ afterId, upToId }) as Counts,
    newest: (): number => newest.get() ?? 0,
    /** Returns the version of the library, which rises with every change. */
    changes: (): number => changes.get() ?? 0,
    newestAlbum: (): number => newestAlbum.get() ?? 0,
    /** Lists the albums of the tracks in this range of ids. */
    listAlbumsOf: (afterId: number, upToId: number): AlbumId[] => listAlbumsOf.all({ afterId, upToId }),
    listAlbumsDue: (afterId: number, upToId: number) => listAlbumsDue.all({ afterId, upToId }),
    listAlbumAudio: (id: AlbumId) => listAlbumAudio.all(id),
    storeAlbum: (row: AlbumLoudnessRow): void => void storeAlbum.run(row),
    albumOf: (id: TrackId): AlbumLoudnessRow | undefined => albumOf.get(id),
    /** Returns the time at which a decoder is tried again for some audio; null if none is due. */
    nextRetry: (): number | null => nextRetry.get() ?? null,
    /** Makes tracks due again that could not be decoded before a new decoder was installed. */
    retryAll: (): void => void retryAll.run(),
    newestRow: (): number => newestRow.get() ?? 0,
    /** Deletes those rows in this range whose audio no track has had since `until`. */
    prune(rows: { afterId: number; upToId: number; now: number; until: number }): void {
      markUnused.run(rows);
      removeUnused.run(rows);
    },
    clearAlbums: (): void => void clearAlbums.run(),
    /** Deletes up to `max` results. Returns false when no results are left. */
    clearSome: (max: number): boolean => clearSome.run(max).changes > 0,
  };
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const COLUMN_NAMES = (
  [
    'audioKey',
    'failure',
    'noFingerprint',
    'sampleRateHz',
    'frames',
    'leadingSilence',
    'trailingSilence',
    'loudnessLufs',
    'loudnessRangeLu',
    'truePeak',
    'loudnessBlocks',
    'waveform',
    'bpm',
    'bpmConfidence',
    'beats',
    'barBeats',
    'firstDownbeat',
    'musicalKey',
    'keyConfidence',
    'energy',
    'character',
    'fingerprintVersion',
    'loudnessVersion',
    'waveformVersion',
    'rhythmVersion',
    'characterVersion',
    'retryAt',
    'unusedSince',
  ] as const satisfies readonly (keyof AnalysisRow)[]
)
  .map((name) => `a.${snake(name)} AS ${name}`)
  .join(', ');
