// Relocates a missing track to the file of another track, if a scan could not tell that they are the same. The missing
// track takes over file and audio and keeps its id, metadata and user data. The other track is removed after its user
// data was merged. A relocation can be undone for 30 days.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { MergeReason } from '../db/schema.ts';
import { conflict, notFound } from '../errors.ts';
import type { Merges } from '../library/merges/merges.ts';
import { formerPlace } from '../library/tracks/overwritten-place.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import type { TrackAudio } from '../library/tracks/track-values.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import type { SourceFiles } from '../files/source-files.ts';
import { NO_HASH } from '../files/read-file.ts';
import { createRelocationQueries, type MissingTrack } from './queries.ts';
import type { ReplacementOut } from './wire.ts';
import { bindContext } from '../runtime/bind-context.ts';

interface Replacement {
  track: TrackSummary;
  why: MatchReason;
  isCertain: boolean;
}
type MatchReason = ReplacementOut['why'];

const MAX_CANDIDATES = 20;
/** The number of missing tracks that are read at once. */
const TRACKS_PER_STEP = 500;

interface RelocationDeps {
  db: MainDb;
  tracks: Pick<TrackWriter, 'setAudio'>;
  merges: Pick<Merges, 'mergeInto' | 'replace' | 'divide' | 'undo' | 'takeMergedFile' | 'leaveMergedFile'>;
  sourceFiles: Pick<SourceFiles, 'moveFiles' | 'forget' | 'adopt' | 'noteDeleted'>;
  library: Pick<LibraryService, 'getTrack' | 'tracksById'>;
  now: () => Date;
}

interface MergedFile {
  mergedId: TrackId;
  /** Folder and name identify the file's row in `source_files`. */
  folderId: number;
  name: string;
  audio: TrackAudio;
}

export type Relocation = ReturnType<typeof createRelocation>;

export function createRelocation(deps: RelocationDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, { list, countCertain, relocateCertain, relocate, takeOverFile, replace, separate }),
    /** Merges a track whose file is gone into another track with the same audio. */
    join: context.client.transaction((remainingId: TrackId, goneId: TrackId): void => {
      context.sourceFiles.forget(goneId);
      context.merges.mergeInto(remainingId, goneId, { reason: 'same_audio', by: null, takesFile: false });
    }).immediate,
    /** Moves the user data that the first track got since a moment to the second track, which was played then. */
    divide: context.merges.divide,
    /** Uses the file of a track that a person merged into this one, because the own file of this track is gone. */
    takeMergedFile: context.client.transaction((id: TrackId, { mergedId, folderId, name, audio }: MergedFile): void => {
      context.sourceFiles.adopt(id, folderId, name);
      context.merges.takeMergedFile(mergedId, audio);
    }).immediate,
    /** Undoes `takeMergedFile`, because the own file of the track is back. */
    leaveMergedFile: context.client.transaction((id: TrackId, mergedId: TrackId): void => {
      context.sourceFiles.noteDeleted(id);
      context.merges.leaveMergedFile(mergedId);
    }).immediate,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, tracks, merges, sourceFiles, library, now }: RelocationDeps) {
  const client = db.$client;
  const queries = createRelocationQueries(client);
  /**
   * Moves file, audio and user data of the other track to the found track, and removes the other, in one transaction.
   */
  const takeOver = client.transaction(
    (find: () => MissingTrack, otherId: TrackId, reason: MergeReason, userId: UserId | null) => {
      const { id } = find();
      const otherFile = queries.findFile(otherId);
      if (!otherFile) throw notFound('track', otherId);
      const { source, sourceId, ...audio } = otherFile;
      if (audio.availability !== 'available') throw conflict('The other track has no audio on this server.');
      sourceFiles.moveFiles(otherId, id);
      merges.mergeInto(id, otherId, { reason, by: userId, takesFile: true });
      tracks.setAudio(id, audio);
      queries.setSource(source, sourceId, now().getTime(), id);
      queries.forgetFormerAudio(id, audio.audioHash);
    },
  ).immediate;
  return { merges, sourceFiles, library, client, queries, takeOver };
}

function getTrack(context: Context, id: TrackId): MissingTrack {
  const track = context.queries.find(id);
  if (!track) throw notFound('track', id);
  return track;
}

function getMissing(context: Context, id: TrackId): MissingTrack {
  const track = getTrack(context, id);
  if (track.availability !== 'missing') throw conflict(`“${track.title}” is not missing.`);
  return track;
}

function findCandidates(context: Context, track: MissingTrack): Map<TrackId, MatchReason> {
  const candidates = new Map<TrackId, MatchReason>();
  const add = (why: MatchReason, ids: TrackId[]): void => {
    for (const id of ids) if (candidates.size < MAX_CANDIDATES && !candidates.has(id)) candidates.set(id, why);
  };
  if (track.audioHash !== null && track.audioHash !== NO_HASH)
    add('same_audio', context.queries.listByAudio(track, MAX_CANDIDATES));
  add('same_sound', context.queries.listBySound(track, MAX_CANDIDATES));
  if (track.recordingMbid !== null) add('same_recording', context.queries.listByRecording(track, MAX_CANDIDATES));
  const formerSourceId = formerPlace(track.sourceId);
  if (formerSourceId !== undefined) add('same_place', context.queries.listBySourceId(track, formerSourceId));
  if (track.durationMs !== null) add('same_name', context.queries.listByName(track, MAX_CANDIDATES));
  return candidates;
}

/** Finds the only candidate with the same audio or sound, unless another missing track matches that candidate too. */
function findCertain(
  context: Context,
  track: MissingTrack,
  candidates: Map<TrackId, MatchReason>,
): TrackId | undefined {
  const [onlyMatch, ...otherMatches] = [...candidates].filter(
    ([, why]) => why === 'same_audio' || why === 'same_sound',
  );
  if (!onlyMatch || otherMatches.length > 0) return undefined;
  const [id, why] = onlyMatch;
  const candidate = context.queries.find(id);
  if (!candidate || context.queries.countOtherMissing(candidate) > 1) return undefined;
  const hasSameName = candidate.titleSort === track.titleSort && candidate.artistSort === track.artistSort;
  return why === 'same_audio' || hasSameName ? id : undefined;
}

/** Lists all missing tracks whose replacement is certain, and yields to requests in between. */
async function* listCertain(context: Context): AsyncGenerator<{ id: TrackId; otherId: TrackId }> {
  for (let lastId = 0 as TrackId; ;) {
    const missingTracks = context.queries.listMissing(lastId, TRACKS_PER_STEP);
    if (missingTracks.length === 0) return;
    for (const { id, hasAlike } of missingTracks) {
      const track = hasAlike === 1 ? context.queries.find(id) : undefined;
      const otherId =
        track?.availability === 'missing' ? findCertain(context, track, findCandidates(context, track)) : undefined;
      if (otherId !== undefined) yield { id, otherId };
      lastId = id;
    }
    await nextTurn();
  }
}

/** Lists candidates, best first, at most 20; none when the track is not missing. */
function list(context: Context, userId: UserId, id: TrackId): Replacement[] {
  const missingTrack = getTrack(context, id);
  if (missingTrack.availability !== 'missing') return [];
  const candidates = findCandidates(context, missingTrack);
  const certainId = findCertain(context, missingTrack, candidates);
  return context.library
    .tracksById(userId, [...candidates.keys()])
    .map((track) => ({ track, why: candidates.get(track.id) as MatchReason, isCertain: track.id === certainId }));
}

async function countCertain(context: Context): Promise<number> {
  let total = 0;
  for await (const _ of listCertain(context)) total++;
  return total;
}

/**
 * Relocates all missing tracks whose replacement is certain; returns the number of tracks that were relocated.
 */
async function relocateCertain(context: Context, userId: UserId): Promise<number> {
  let total = 0;
  for await (const { id, otherId } of listCertain(context)) {
    context.takeOver(() => getMissing(context, id), otherId, 'chosen', userId);
    total++;
    await nextTurn();
  }
  return total;
}

/** Relocates a missing track. Throws `conflict` when the track is not missing, or the other track has no audio. */
function relocate(context: Context, userId: UserId, id: TrackId, otherId: TrackId): TrackSummary {
  context.takeOver(() => getMissing(context, id), otherId, 'chosen', userId);
  return context.library.getTrack(userId, id);
}

/**
 * Lets a track take over the file of another track. Called by a scan, which knows that the first track's file is
 * gone. In copy mode the track still has audio, which is replaced.
 */
const takeOverFile = (context: Context, id: TrackId, otherId: TrackId, reason: MergeReason): void =>
  context.takeOver(() => getTrack(context, id), otherId, reason, null);

/** Moves the user data of the first track to the second one, whose file is newer. Both tracks stay. */
const replace = ({ merges }: Context, replacedId: TrackId, newerId: TrackId): void =>
  merges.replace(replacedId, newerId);

/** Separates a track that a scan joined with a different track. Throws the same errors as an undo. */
const separate = ({ merges }: Context, id: TrackId): void => merges.undo(null, id);
