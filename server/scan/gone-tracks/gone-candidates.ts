// Reads tracks whose files are gone, and new tracks that they may have become.
import type { Sqlite } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { FileStamp } from '../../files/file-stamp.ts';
import { NO_HASH } from '../../files/read-file.ts';
import { SAME_LENGTH_MS, SAME_RECORDING } from '../../media/fingerprint-match.ts';
import { FILE_SCHEME } from '../../storage/uri.ts';
import { OVERWRITTEN, SEPARATED } from '../../library/tracks/overwritten-place.ts';
import { sortKey } from '../../library/tracks/sort-and-identity-keys.ts';
import { waitForTurn } from '../../runtime/time-slices.ts';
import { IS_UNTOUCHED } from './untouched-tracks.ts';
import { seemsSame, type ComparedMusic } from './same-music.ts';
import { inNamedAlbum } from '../../db/unknown-names.ts';
import { bindContext } from '../../runtime/bind-context.ts';
import type { Statement } from 'better-sqlite3';

export interface GoneTrack extends ComparedMusic {
  id: TrackId;
}

export interface NewTrack extends ComparedMusic {
  id: TrackId;
  folder: number;
  path: string;
  name: string;
}

/** A track whose file is gone, and a later track that may be the same music. */
export interface Upgrade {
  goneTrack: GoneTrack;
  /** True if the audio of the gone track is a copy in the storage, and is available. */
  hasStoredCopy: boolean;
  successor: NewTrack;
  /** Undefined when one of the two tracks has no fingerprint. */
  soundsSame: boolean | undefined;
}

interface JoinablePair {
  goneId: TrackId;
  survivorId: TrackId;
  isEdited: boolean;
  isSection: boolean;
  /**
   * True if a person separated the gone track from another one, and `survivorId` is a new track that nobody has used.
   */
  isGivenBack: boolean;
}

/** The file of a track that a person merged into a track whose own file is gone. */
export interface MergedFile extends FileStamp {
  keptId: TrackId;
  mergedId: TrackId;
  folderId: number;
  path: string;
  name: string;
}

const PAGE_SIZE = 500;
/** The number of upgrades per page: successors of each track are searched by sound and by name. */
const UPGRADES_PAGE_SIZE = 50;
/** The number of tracks with the same title that are compared. */
const MAX_TRACKS_OF_TITLE = 200;

const MUSIC_COLUMNS = `t.id, t.duration_ms AS durationMs, t.audio_hash AS audioHash, t.format, t.codec,
  t.sample_rate_hz AS sampleRateHz, t.channels, t.title, t.artist_name AS artist, a.title AS album,
  t.recording_mbid AS recordingMbid`;

const ALBUM_JOIN = `LEFT JOIN albums a ON a.id = t.album_id AND ${inNamedAlbum('t')}`;

const SIMILAR_TRACKS = `SELECT other_id FROM duplicate_pairs WHERE track_id = g.id AND similarity >= ${SAME_RECORDING}
  UNION SELECT track_id FROM duplicate_pairs WHERE other_id = g.id AND similarity >= ${SAME_RECORDING}`;
const byId = <T extends { id: TrackId }>(tracks: readonly T[]): Map<TrackId, T> =>
  new Map(tracks.map((track) => [track.id, track]));

export function createGoneTracks(client: Sqlite, source: string) {
  const context = createContext(client, source) as Context;
  context.listsOfDisplaced = [listBelowPrefix(context, OVERWRITTEN), listBelowPrefix(context, SEPARATED)];

  return {
    ...bindContext(context, { hasNamesOfOther, hasTwin, find, listGone, listNew }),
    /** Yields all tracks whose files are gone, each with the later tracks that it may have become. */
    async *listUpgrades(since: Date): AsyncGenerator<Upgrade[]> {
      for await (const ids of listGoneIdPages(context, UPGRADES_PAGE_SIZE)) {
        const upgrades = findUpgrades(context, ids, since);
        if (upgrades.length > 0) yield upgrades;
      }
    },
    upgradesOf: (ids: readonly TrackId[], since: Date) => findUpgrades(context, ids, since),
    async listMergedFiles(): Promise<MergedFile[]> {
      const files: MergedFile[] = [];
      for await (const ids of listGoneIdPages(context))
        files.push(...context.listMergedFiles.all({ source: context.source, ids: JSON.stringify(ids) }));
      return files;
    },
    /** Returns tracks whose file is gone, each with another track that has the same audio and a file. */
    async listJoinable(): Promise<JoinablePair[]> {
      const pairs: JoinablePair[] = [];
      for await (const ids of listGoneIdPages(context))
        for (const row of context.listJoinable.all({ source: context.source, ids: JSON.stringify(ids) }))
          pairs.push({
            ...row,
            isEdited: row.isEdited === 1,
            isSection: row.isSection === 1,
            isGivenBack: row.isGivenBack === 1,
          });
      return pairs;
    },
  };
}

interface Context extends ReturnType<typeof createContext> {
  listsOfDisplaced: Statement<[{ source: string; last: string; limit: number }], { id: TrackId; at: string }>[];
}

function createContext(client: Sqlite, source: string) {
  const listGoneIds = client
    .prepare<{ source: string; last: TrackId; limit: number }, TrackId>(
      `SELECT DISTINCT f.track_id FROM source_files f CROSS JOIN tracks t ON t.id = f.track_id
        WHERE f.state = 'gone' AND f.track_id > @last AND +t.source = @source
          AND NOT EXISTS (SELECT 1 FROM source_files o WHERE o.track_id = f.track_id AND o.state <> 'gone')
        ORDER BY f.track_id LIMIT @limit`,
    )
    .pluck();
  const listMissing = client.prepare<
    { source: string; last: TrackId; limit: number },
    { id: TrackId; hasFileOrOtherSource: number }
  >(
    `SELECT t.id, t.source <> @source OR EXISTS (SELECT 1 FROM source_files f WHERE f.track_id = t.id)
        AS hasFileOrOtherSource
      FROM tracks t WHERE t.availability <> 'available' AND t.availability = 'missing' AND t.id > @last
      ORDER BY t.id LIMIT @limit`,
  );
  const findGoneTracks = client.prepare<[string], GoneTrack>(
    `SELECT ${MUSIC_COLUMNS} FROM json_each(?) j CROSS JOIN tracks t ON t.id = j.value ${ALBUM_JOIN}
      WHERE NOT EXISTS (SELECT 1 FROM replaced_tracks r WHERE r.track_id = t.id)`,
  );
  const listNewTracks = client.prepare<[TrackId, string, number], NewTrack>(
    `SELECT ${MUSIC_COLUMNS}, f.folder_id AS folder, d.path, f.name FROM tracks t
      CROSS JOIN source_files f ON f.track_id = t.id AND f.state = 'track'
      CROSS JOIN source_folders d ON d.id = f.folder_id
      ${ALBUM_JOIN}
      WHERE t.id > ? AND +t.source = ? AND +t.duration_ms IS NOT NULL ORDER BY t.id LIMIT ?`,
  );
  // Order of survivors: a track with the audio that the gone track had before other music replaced it; then a track
  // with the same names; then the oldest. Sections are added as new tracks when their file has moved, so the newest
  // section comes first. A track that a person separated has no file of its own: its survivor is the track at its path,
  // or a new track that nobody has used.
  const isSeparated = `g.source_id NOT GLOB '${OVERWRITTEN}/*'
    AND NOT EXISTS (SELECT 1 FROM source_files f WHERE f.track_id = g.id)`;
  const formerSourceId = `substr(g.source_id, length('${SEPARATED}/' || g.id || '/') + 1)`;
  const listJoinable = client.prepare<
    { source: string; ids: string },
    { goneId: TrackId; survivorId: TrackId; isEdited: number; isSection: number; isGivenBack: number }
  >(
    `SELECT c.*, c.isSeparated
        AND EXISTS (SELECT 1 FROM tracks t WHERE t.id = c.survivorId AND ${IS_UNTOUCHED}) AS isGivenBack
      FROM (SELECT g.id AS goneId, g.metadata_status = 'manual' AS isEdited, g.section_start IS NOT NULL AS isSection,
        ${isSeparated} AS isSeparated,
        (SELECT t.id FROM tracks t
          WHERE t.audio_hash IN (g.audio_hash, (SELECT h.audio_hash FROM former_audio h WHERE h.track_id = g.id))
            AND t.id <> g.id AND t.availability = 'available' AND (t.source <> @source
              OR EXISTS (SELECT 1 FROM source_files f WHERE f.track_id = t.id AND f.state = 'track'))
            AND NOT EXISTS (SELECT 1 FROM duplicate_dismissals d
              WHERE d.track_id = min(g.id, t.id) AND d.other_id = max(g.id, t.id))
            AND (NOT (${isSeparated}) OR (t.source = @source AND (
              (g.source_id GLOB '${SEPARATED}/*' AND t.source_id = ${formerSourceId})
            OR (t.id > g.id AND ${IS_UNTOUCHED}))))
          ORDER BY t.audio_hash = g.audio_hash,
            g.source_id GLOB '${SEPARATED}/*' AND t.source_id = ${formerSourceId} DESC,
            (t.title_sort = g.title_sort AND t.album_sort = g.album_sort) DESC,
            iif(g.section_start IS NULL, t.id, -t.id) LIMIT 1) AS survivorId
      FROM json_each(@ids) j CROSS JOIN tracks g ON g.id = j.value
      WHERE g.audio_hash <> '${NO_HASH}' AND survivorId IS NOT NULL) c`,
  );
  // Excludes tracks that were identified by their path only. A successor was added after the gone track, and also
  // either recently, on the same album or in the same folder: a track that has been on a compilation for years is not
  // what a deleted file became. A track that lost its place to other music, and has a file again, may be what that
  // music became. A fingerprint without pieces is too short to be compared, so its track counts as having none.
  const listUpgrades = client.prepare<
    { source: string; ids: string; since: number },
    {
      goneId: TrackId;
      successorId: TrackId;
      hasStoredCopy: number;
      isPair: number;
      hasFingerprints: number;
      isBeside: number;
    }
  >(
    `SELECT g.id AS goneId, t.id AS successorId,
        g.availability = 'available' AND g.storage_uri NOT LIKE '${FILE_SCHEME}:%' AS hasStoredCopy,
        EXISTS (SELECT 1 FROM source_files x JOIN source_files y ON y.folder_id = x.folder_id
          WHERE x.track_id = g.id AND y.track_id = t.id) AS isBeside,
        t.id IN (${SIMILAR_TRACKS}) AS isPair,
        EXISTS (SELECT 1 FROM fingerprint_pieces WHERE track_id = g.id)
          AND EXISTS (SELECT 1 FROM fingerprint_pieces WHERE track_id = t.id) AS hasFingerprints
      FROM json_each(@ids) j CROSS JOIN tracks g ON g.id = j.value
        CROSS JOIN tracks t ON t.id IN (${SIMILAR_TRACKS}
          UNION SELECT track_id FROM replaced_tracks WHERE by_id = g.id
          UNION SELECT n.id FROM tracks n WHERE n.title_sort = g.title_sort AND n.id > g.id
        LIMIT ${MAX_TRACKS_OF_TITLE})
      WHERE (t.id > g.id OR EXISTS (SELECT 1 FROM replaced_tracks r WHERE r.track_id = t.id))
        AND g.section_start IS NULL AND t.section_start IS NULL AND +t.source = @source
        AND abs(t.duration_ms - g.duration_ms) <= ${SAME_LENGTH_MS} AND +t.availability = 'available'
        AND (t.created_at >= @since OR t.album_sort = g.album_sort OR isBeside)
        AND EXISTS (SELECT 1 FROM source_files f WHERE f.track_id = t.id AND f.state = 'track')
        AND NOT EXISTS (SELECT 1 FROM replaced_tracks r WHERE r.track_id = g.id)
        AND NOT EXISTS (SELECT 1 FROM former_audio h WHERE h.track_id IN (g.id, t.id))
        AND NOT EXISTS (SELECT 1 FROM duplicate_dismissals d
          WHERE d.track_id = min(g.id, t.id) AND d.other_id = max(g.id, t.id))
      ORDER BY g.id, isBeside DESC, t.id`,
  );
  const listMergedFiles = client.prepare<{ source: string; ids: string }, MergedFile>(
    `SELECT g.id AS keptId, m.id AS mergedId, f.folder_id AS folderId, d.path, f.name, f.size_bytes AS sizeBytes,
        f.mtime_us AS mtimeUs
      FROM json_each(@ids) j CROSS JOIN tracks g ON g.id = j.value
        CROSS JOIN trashed_tracks m ON m.merged_into = g.id
        CROSS JOIN json_each(m.snapshot, '$.links') l ON l.value ->> 'table' = 'source_files'
        CROSS JOIN json_each(l.value, '$.keys') k
        CROSS JOIN source_files f ON f.folder_id = k.value ->> 'folder_id' AND f.name = k.value ->> 'name'
        CROSS JOIN source_folders d ON d.id = f.folder_id
      WHERE g.availability = 'missing' AND g.section_start IS NULL AND m.merge_reason = 'duplicate'
        AND m.source = @source AND m.storage_uri LIKE '${FILE_SCHEME}:%' AND f.state = 'deleted' AND f.track_id IS NULL
      ORDER BY g.id, m.size_bytes DESC`,
  );
  const listFiles = client.prepare<[string], NewTrack>(
    `SELECT ${MUSIC_COLUMNS}, f.folder_id AS folder, d.path, f.name FROM json_each(?) j
      CROSS JOIN tracks t ON t.id = j.value
      CROSS JOIN source_files f ON f.track_id = t.id AND f.state = 'track'
      CROSS JOIN source_folders d ON d.id = f.folder_id
      ${ALBUM_JOIN}`,
  );
  const findTrack = client.prepare<[TrackId], GoneTrack>(
    `SELECT ${MUSIC_COLUMNS} FROM tracks t ${ALBUM_JOIN} WHERE t.id = ?`,
  );
  const findTwin = client.prepare<[string, TrackId, TrackId]>(
    'SELECT 1 FROM tracks WHERE audio_hash = ? AND id <> ? AND id <= ? LIMIT 1',
  );
  const listByTitle = client.prepare<[string, TrackId], GoneTrack>(
    `SELECT ${MUSIC_COLUMNS} FROM tracks t ${ALBUM_JOIN} WHERE t.title_sort = ? AND t.id <> ?
     LIMIT ${MAX_TRACKS_OF_TITLE}`,
  );
  return {
    client,
    source,
    listGoneIds,
    listMissing,
    findGoneTracks,
    listNewTracks,
    listJoinable,
    listUpgrades,
    listMergedFiles,
    listFiles,
    findTrack,
    findTwin,
    listByTitle,
  };
}

const listBelowPrefix = ({ client }: Context, prefix: string) =>
  client.prepare<{ source: string; last: string; limit: number }, { id: TrackId; at: string }>(
    // '0' is the character after '/'
    `SELECT o.id, o.source_id AS at FROM tracks o
        WHERE o.source = @source AND o.source_id >= '${prefix}/' AND o.source_id < '${prefix}0' AND o.source_id > @last
        ORDER BY o.source_id LIMIT @limit`,
  );

/** Yields the ids of tracks whose files are gone, a page at a time, with requests served in between. */
async function* listGoneIdPages(context: Context, limit = PAGE_SIZE): AsyncGenerator<TrackId[]> {
  const yieldedIds = new Set<TrackId>();
  const withoutYielded = (ids: readonly TrackId[]): TrackId[] => ids.filter((id) => !yieldedIds.has(id));
  for (let lastId = 0 as TrackId; ;) {
    await waitForTurn();
    const ids = context.listGoneIds.all({ source: context.source, last: lastId, limit });
    if (ids.length > 0) yield ids;
    for (const id of ids) yieldedIds.add(id);
    if (ids.length < limit) break;
    lastId = ids.at(-1) as TrackId;
  }
  for (const listDisplaced of context.listsOfDisplaced)
    for (let lastSourceId = ''; ;) {
      await waitForTurn();
      const rows = listDisplaced.all({ source: context.source, last: lastSourceId, limit });
      const ids = withoutYielded(rows.map(({ id }) => id));
      if (ids.length > 0) yield ids;
      for (const id of ids) yieldedIds.add(id);
      if (rows.length < limit) break;
      lastSourceId = rows.at(-1)?.at ?? '';
    }
  for (let lastId = 0 as TrackId; ;) {
    await waitForTurn();
    const rows = context.listMissing.all({ source: context.source, last: lastId, limit });
    const ids = withoutYielded(
      rows.flatMap(({ id, hasFileOrOtherSource }) => (hasFileOrOtherSource === 1 ? [] : [id])),
    );
    if (ids.length > 0) yield ids;
    if (rows.length < limit) return;
    lastId = rows.at(-1)?.id ?? lastId;
  }
}

/** Returns the tracks that these tracks may have become, if their files are gone. */
function findUpgrades(context: Context, ids: readonly TrackId[], since: Date): Upgrade[] {
  const pairs = context.listUpgrades.all({ source: context.source, ids: JSON.stringify(ids), since: since.getTime() });
  if (pairs.length === 0) return [];
  const goneById = byId(context.findGoneTracks.all(JSON.stringify(pairs.map((pair) => pair.goneId))));
  const successorById = byId(context.listFiles.all(JSON.stringify(pairs.map((pair) => pair.successorId))));
  return pairs.flatMap((pair) => {
    const tracks = { goneTrack: goneById.get(pair.goneId), successor: successorById.get(pair.successorId) };
    const soundsSame = pair.hasFingerprints === 1 ? pair.isPair === 1 : undefined;
    return tracks.goneTrack && tracks.successor
      ? [
          {
            goneTrack: tracks.goneTrack,
            successor: tracks.successor,
            hasStoredCopy: pair.hasStoredCopy === 1,
            soundsSame,
          },
        ]
      : [];
  });
}

/** Returns whether the tags and the length fit another track. */
const hasNamesOfOther = ({ listByTitle }: Context, music: ComparedMusic, excludedId: TrackId): boolean =>
  music.title !== null &&
  listByTitle.all(sortKey(music.title), excludedId).some((otherTrack) => seemsSame(otherTrack, music));

/** Returns whether another track with an id up to `lastOldId` has the same audio. */
const hasTwin = ({ findTwin }: Context, { id, audioHash }: NewTrack, lastOldId: TrackId): boolean =>
  audioHash !== null && audioHash !== NO_HASH && findTwin.get(audioHash, id, lastOldId) !== undefined;

const find = ({ findTrack }: Context, id: TrackId): GoneTrack | undefined => findTrack.get(id);

/** Returns all tracks whose files are gone. */
async function listGone(context: Context): Promise<GoneTrack[]> {
  const goneTracks: GoneTrack[] = [];
  for await (const ids of listGoneIdPages(context)) goneTracks.push(...context.findGoneTracks.all(JSON.stringify(ids)));
  return goneTracks;
}

/** Yields tracks with ids above `lastOldId`, in the order of their ids. */
function* listNew({ listNewTracks, source }: Context, lastOldId: TrackId): Generator<NewTrack> {
  for (let lastId = lastOldId; ;) {
    const tracks = listNewTracks.all(lastId, source, PAGE_SIZE);
    yield* tracks;
    if (tracks.length < PAGE_SIZE) return;
    lastId = (tracks.at(-1) as NewTrack).id;
  }
}
