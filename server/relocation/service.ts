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

export function createRelocation({ db, tracks, merges, sourceFiles, library, now }: RelocationDeps) {
  const client = db.$client;
  const queries = createRelocationQueries(client);

  function getTrack(id: TrackId): MissingTrack {
    const track = queries.find(id);
    if (!track) throw notFound('track', id);
    return track;
  }

  function getMissing(id: TrackId): MissingTrack {
    const track = getTrack(id);
    if (track.availability !== 'missing') throw conflict(`“${track.title}” is not missing.`);
    return track;
  }

  function findCandidates(track: MissingTrack): Map<TrackId, MatchReason> {
    const candidates = new Map<TrackId, MatchReason>();
    const add = (why: MatchReason, ids: TrackId[]): void => {
      for (const id of ids) if (candidates.size < MAX_CANDIDATES && !candidates.has(id)) candidates.set(id, why);
    };
    if (track.audioHash !== null && track.audioHash !== NO_HASH)
      add('same_audio', queries.listByAudio(track, MAX_CANDIDATES));
    add('same_sound', queries.listBySound(track, MAX_CANDIDATES));
    if (track.recordingMbid !== null) add('same_recording', queries.listByRecording(track, MAX_CANDIDATES));
    const formerSourceId = formerPlace(track.sourceId);
    if (formerSourceId !== undefined) add('same_place', queries.listBySourceId(track, formerSourceId));
    if (track.durationMs !== null) add('same_name', queries.listByName(track, MAX_CANDIDATES));
    return candidates;
  }

  /** Finds the only candidate with the same audio or sound, unless another missing track matches that candidate too. */
  function findCertain(track: MissingTrack, candidates: Map<TrackId, MatchReason>): TrackId | undefined {
    const [onlyMatch, ...otherMatches] = [...candidates].filter(
      ([, why]) => why === 'same_audio' || why === 'same_sound',
    );
    if (!onlyMatch || otherMatches.length > 0) return undefined;
    const [id, why] = onlyMatch;
    const candidate = queries.find(id);
    if (!candidate || queries.countOtherMissing(candidate) > 1) return undefined;
    const hasSameName = candidate.titleSort === track.titleSort && candidate.artistSort === track.artistSort;
    return why === 'same_audio' || hasSameName ? id : undefined;
  }

  /** Lists all missing tracks with a certain replacement, and yields to requests in between. */
  async function* listCertain(): AsyncGenerator<{ id: TrackId; otherId: TrackId }> {
    for (let lastId = 0 as TrackId; ;) {
      const missingTracks = queries.listMissing(lastId, TRACKS_PER_STEP);
      if (missingTracks.length === 0) return;
      for (const { id, hasAlike } of missingTracks) {
        const track = hasAlike === 1 ? queries.find(id) : undefined;
        const otherId = track?.availability === 'missing' ? findCertain(track, findCandidates(track)) : undefined;
        if (otherId !== undefined) yield { id, otherId };
        lastId = id;
      }
      await nextTurn();
    }
  }

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

  return {
    /** Lists candidates, best first, at most 20; none when the track is not missing. */
    list(userId: UserId, id: TrackId): Replacement[] {
      const missingTrack = getTrack(id);
      if (missingTrack.availability !== 'missing') return [];
      const candidates = findCandidates(missingTrack);
      const certainId = findCertain(missingTrack, candidates);
      return library
        .tracksById(userId, [...candidates.keys()])
        .map((track) => ({ track, why: candidates.get(track.id) as MatchReason, isCertain: track.id === certainId }));
    },

    async countCertain(): Promise<number> {
      let total = 0;
      for await (const _ of listCertain()) total++;
      return total;
    },

    /**
     * Relocates all missing tracks that have a certain replacement; returns the number of tracks that were relocated.
     */
    async relocateCertain(userId: UserId): Promise<number> {
      let total = 0;
      for await (const { id, otherId } of listCertain()) {
        takeOver(() => getMissing(id), otherId, 'chosen', userId);
        total++;
        await nextTurn();
      }
      return total;
    },

    /** Relocates a missing track. Throws `conflict` when the track is not missing, or the other track has no audio. */
    relocate(userId: UserId, id: TrackId, otherId: TrackId): TrackSummary {
      takeOver(() => getMissing(id), otherId, 'chosen', userId);
      return library.getTrack(userId, id);
    },

    /**
     * Lets a track take over the file of another track. Called by a scan, which knows that the first track's file is
     * gone. In copy mode the track still has audio, which is replaced.
     */
    takeOverFile: (id: TrackId, otherId: TrackId, reason: MergeReason): void =>
      takeOver(() => getTrack(id), otherId, reason, null),

    /** Merges a track whose file is gone into another track with the same audio. */
    join: client.transaction((remainingId: TrackId, goneId: TrackId): void => {
      sourceFiles.forget(goneId);
      merges.mergeInto(remainingId, goneId, { reason: 'same_audio', by: null, takesFile: false });
    }).immediate,

    /** Moves the user data of the first track to the second one, whose file is newer. Both tracks stay. */
    replace: (replacedId: TrackId, newerId: TrackId): void => merges.replace(replacedId, newerId),

    /** Moves the user data that the first track got since a moment to the second track, which was played then. */
    divide: merges.divide,

    /** Uses the file of a track that a person merged into this one, because the own file of this track is gone. */
    takeMergedFile: client.transaction((id: TrackId, { mergedId, folderId, name, audio }: MergedFile): void => {
      sourceFiles.adopt(id, folderId, name);
      merges.takeMergedFile(mergedId, audio);
    }).immediate,

    /** Undoes `takeMergedFile`, because the own file of the track is back. */
    leaveMergedFile: client.transaction((id: TrackId, mergedId: TrackId): void => {
      sourceFiles.noteDeleted(id);
      merges.leaveMergedFile(mergedId);
    }).immediate,

    /** Separates a track that a scan joined with a different track. Throws the same errors as an undo. */
    separate: (id: TrackId): void => merges.undo(null, id),
  };
}
