// Relocates a missing track to another track's file, where a scan could not tell that they are the same. The missing
// track takes over file and audio and keeps its id, metadata and user data; the other's user data is merged into it,
// and the other is removed. It can be undone for 30 days.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { MergeReason } from '../db/schema.ts';
import { conflict, notFound } from '../errors.ts';
import type { Merges } from '../library/merges.ts';
import { formerPlace } from '../library/overwritten-place.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import type { TrackAudio } from '../library/track-values.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import type { SourceFiles } from '../files/source-files.ts';
import { NO_HASH } from '../files/read-file.ts';
import { createRelocationQueries, type Gone } from './queries.ts';
import type { ReplacementOut } from './wire.ts';

interface Replacement {
  track: TrackSummary;
  why: Why;
  isCertain: boolean;
}
type Why = ReplacementOut['why'];

const MOST = 20;
/** Missing tracks that are looked at in one go. */
const AT_ONCE = 500;

interface RelocationDeps {
  db: MainDb;
  tracks: Pick<TrackWriter, 'setAudio'>;
  merges: Pick<Merges, 'mergeInto' | 'replace' | 'divide' | 'undo' | 'takeMergedFile' | 'leaveMergedFile'>;
  sourceFiles: Pick<SourceFiles, 'moveFiles' | 'forget' | 'adopt' | 'noteDeleted'>;
  library: Pick<LibraryService, 'getTrack' | 'tracksById'>;
  now: () => Date;
}

interface MergedFile {
  merged: TrackId;
  /** Its row in `source_files`. */
  folderId: number;
  name: string;
  audio: TrackAudio;
}

export type Relocation = ReturnType<typeof createRelocation>;

export function createRelocation({ db, tracks, merges, sourceFiles, library, now }: RelocationDeps) {
  const client = db.$client;
  const queries = createRelocationQueries(client);
  const setSource = client.prepare('UPDATE tracks SET source = ?, source_id = ?, updated_at = ? WHERE id = ?');
  const forgetFormer = client.prepare('DELETE FROM former_audio WHERE track_id = ? AND audio_hash = ?');

  function getTrack(id: TrackId): Gone {
    const track = queries.find(id);
    if (!track) throw notFound('track', id);
    return track;
  }

  function getMissing(id: TrackId): Gone {
    const track = getTrack(id);
    if (track.availability !== 'missing') throw conflict(`“${track.title}” is not missing.`);
    return track;
  }

  function candidates(track: Gone): Map<TrackId, Why> {
    const found = new Map<TrackId, Why>();
    const add = (why: Why, some: TrackId[]): void => {
      for (const id of some) if (found.size < MOST && !found.has(id)) found.set(id, why);
    };
    if (track.audioHash !== null && track.audioHash !== NO_HASH) add('same_audio', queries.withAudio(track, MOST));
    add('same_sound', queries.sounding(track, MOST));
    if (track.recordingMbid !== null) add('same_recording', queries.ofRecording(track, MOST));
    const overwritten = formerPlace(track.sourceId);
    if (overwritten !== undefined) add('same_place', queries.inPlace(track, overwritten));
    if (track.durationMs !== null) add('same_name', queries.named(track, MOST));
    return found;
  }

  /** The only one that has the same audio or sounds the same, if no other missing track may be it. */
  function findCertain(track: Gone, found: Map<TrackId, Why>): TrackId | undefined {
    const [only, ...others] = [...found].filter(([, why]) => why === 'same_audio' || why === 'same_sound');
    if (!only || others.length > 0) return undefined;
    const [id, why] = only;
    const other = queries.find(id);
    if (!other || queries.othersMissing(other) > 1) return undefined;
    const isNamedSame = other.titleSort === track.titleSort && other.artistSort === track.artistSort;
    return why === 'same_audio' || isNamedSame ? id : undefined;
  }

  /** All missing tracks that have one, a few at a time. */
  async function* listCertain(): AsyncGenerator<{ id: TrackId; otherId: TrackId }> {
    for (let last = 0 as TrackId; ;) {
      const some = queries.missing(last, AT_ONCE);
      if (some.length === 0) return;
      for (const { id, hasAlike } of some) {
        const track = hasAlike === 1 ? queries.find(id) : undefined;
        const otherId = track?.availability === 'missing' ? findCertain(track, candidates(track)) : undefined;
        if (otherId !== undefined) yield { id, otherId };
        last = id;
      }
      await nextTurn();
    }
  }

  /** In one transaction: the file, the audio, everything that belongs to the other, and the other's row. */
  const takeOver = client.transaction((find: () => Gone, otherId: TrackId, reason: MergeReason, by: UserId | null) => {
    const { id } = find();
    const other = queries.findFile(otherId);
    if (!other) throw notFound('track', otherId);
    const { source, sourceId, ...audio } = other;
    if (audio.availability !== 'available') throw conflict('The other track has no audio here.');
    sourceFiles.moveFiles(otherId, id);
    merges.mergeInto(id, otherId, { reason, by, takesFile: true });
    tracks.setAudio(id, audio);
    setSource.run(source, sourceId, now().getTime(), id);
    forgetFormer.run(id, audio.audioHash);
  }).immediate;

  return {
    /** Best first, at most 20; none when the track is not missing. */
    list(userId: UserId, id: TrackId): Replacement[] {
      const missing = getTrack(id);
      if (missing.availability !== 'missing') return [];
      const found = candidates(missing);
      const certain = findCertain(missing, found);
      return library
        .tracksById(userId, [...found.keys()])
        .map((track) => ({ track, why: found.get(track.id) as Why, isCertain: track.id === certain }));
    },

    async countCertain(): Promise<number> {
      let total = 0;
      for await (const _ of listCertain()) total++;
      return total;
    },

    /** Gives how many. */
    async relocateCertain(userId: UserId): Promise<number> {
      let total = 0;
      for await (const { id, otherId } of listCertain()) {
        takeOver(() => getMissing(id), otherId, 'chosen', userId);
        total++;
        await nextTurn();
      }
      return total;
    },

    /** Throws `conflict` when the first track is not missing, or the other has no audio. */
    relocate(userId: UserId, id: TrackId, otherId: TrackId): TrackSummary {
      takeOver(() => getMissing(id), otherId, 'chosen', userId);
      return library.getTrack(userId, id);
    },

    /**
     * For a scan, which knows that the first track's file is gone; in copy mode its audio is still there, and is
     * replaced.
     */
    takeOverFile: (id: TrackId, otherId: TrackId, reason: MergeReason): void =>
      takeOver(() => getTrack(id), otherId, reason, null),

    /** What belongs to a track whose file is gone goes to another one with the same audio. */
    join: client.transaction((left: TrackId, gone: TrackId): void => {
      sourceFiles.forget(gone);
      merges.mergeInto(left, gone, { reason: 'same_audio', by: null, takesFile: false });
    }).immediate,

    /** What people did with the first track goes to the second one, whose file is the newer one. Both stay. */
    replace: (replaced: TrackId, by: TrackId): void => merges.replace(replaced, by),

    /** Gives what people did with the first track since a moment to the second one, which was heard then. */
    divide: merges.divide,

    /** The file of a track that a person merged into this one is there, and its own is not. */
    takeMergedFile: client.transaction((id: TrackId, { merged, folderId, name, audio }: MergedFile): void => {
      sourceFiles.adopt(id, folderId, name);
      merges.takeMergedFile(merged, audio);
    }).immediate,

    /** Its own file is back. */
    leaveMergedFile: client.transaction((id: TrackId, merged: TrackId): void => {
      sourceFiles.noteDeleted(id);
      merges.leaveMergedFile(merged);
    }).immediate,

    /** A scan joined it with another track that is not the same. Throws as an undo does. */
    separate: (id: TrackId): void => merges.undo(null, id),
  };
}
