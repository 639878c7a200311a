// Relocates a missing track to another track's file, where a scan could not tell that they are the same. The missing
// track takes over file and audio and keeps its id, metadata and user data; the other's user data is merged into it,
// and the other is removed.
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import { conflict, notFound } from '../errors.ts';
import type { TrackMerge } from '../library/track-merge.ts';
import type { LeftOver } from '../library/row-removal.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import type { SourceFiles } from '../files/source-files.ts';
import { NO_HASH } from '../files/read-file.ts';
import { createRelocationQueries, type Gone } from './queries.ts';
import type { ReplacementOut } from './wire.ts';

export interface Replacement {
  track: TrackSummary;
  why: Why;
}
type Why = ReplacementOut['why'];

const MOST = 20;

export interface RelocationDeps {
  db: MainDb;
  tracks: Pick<TrackWriter, 'setAudio'>;
  merge: TrackMerge;
  sourceFiles: Pick<SourceFiles, 'handOver' | 'forget'>;
  library: Pick<LibraryService, 'getTrack' | 'tracksById' | 'release'>;
  now: () => Date;
}

export type Relocation = ReturnType<typeof createRelocation>;

export function createRelocation({ db, tracks, merge, sourceFiles, library, now }: RelocationDeps) {
  const client = db.$client;
  const queries = createRelocationQueries(client);
  const setSource = client.prepare('UPDATE tracks SET source = ?, source_id = ?, updated_at = ? WHERE id = ?');

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
    if (track.recordingMbid !== null) add('same_recording', queries.ofRecording(track, MOST));
    if (track.durationMs !== null) add('same_name', queries.named(track, MOST));
    return found;
  }

  /** In one transaction: the file, the audio, everything that belongs to the other, and the other's row. */
  const takeOver = client.transaction((find: () => Gone, otherId: TrackId): LeftOver[] => {
    const track = find();
    const { id } = track;
    const other = queries.findFile(otherId);
    if (!other) throw notFound('track', otherId);
    const { source, sourceId, ...audio } = other;
    if (audio.availability !== 'available') throw conflict('The other track has no audio here.');
    sourceFiles.handOver(otherId, id);
    const left = merge.mergeInto(id, otherId);
    tracks.setAudio(id, audio);
    setSource.run(source, sourceId, now().getTime(), id);
    return [left, { storageUri: track.storageUri, coverKey: null }];
  }).immediate;

  const joinInto = client.transaction((left: TrackId, gone: TrackId): LeftOver => {
    sourceFiles.forget(gone);
    return merge.mergeInto(left, gone);
  }).immediate;

  return {
    /** Best first, at most 20. Throws `conflict` when the track is not missing. */
    list(userId: UserId, id: TrackId): Replacement[] {
      const found = candidates(getMissing(id));
      return library.tracksById(userId, [...found.keys()]).map((track) => ({ track, why: found.get(track.id) as Why }));
    },

    /** Throws `conflict` when the first track is not missing, or the other has no audio. */
    async relocate(userId: UserId, id: TrackId, otherId: TrackId): Promise<TrackSummary> {
      for (const left of takeOver(() => getMissing(id), otherId)) await library.release(left);
      return library.getTrack(userId, id);
    },

    /**
     * For a scan, which knows that the first track's file is gone; in copy mode its audio is still there, and is
     * replaced.
     */
    async takeOverFile(id: TrackId, otherId: TrackId): Promise<void> {
      for (const left of takeOver(() => getTrack(id), otherId)) await library.release(left);
    },

    /** What belongs to a track whose file is gone goes to another one with the same audio. */
    async join(left: TrackId, gone: TrackId): Promise<void> {
      await library.release(joinInto(left, gone));
    },
  };
}
