// What may be done with a hit of a remote catalogue, the same in Discover and in the search palette.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { TrackOut } from '../../server/library/wire.ts';
import type { SearchHit } from '../../server/search/remote-wire.ts';
import { useMaterialize, useSaveRemote } from '../api/remote.ts';
import { trackQuery } from '../api/tracks.ts';

export interface RemoteHitState {
  /** Once it is saved. */
  track: TrackOut | undefined;
  /** Null while it is not saved. */
  availability: TrackOut['availability'] | null;
  /** Key of the word that says where it is. */
  word: 'discover.here' | 'discover.fetching' | 'discover.saved' | null;
}

/** A saved hit is the track: what is told of the track holds for the hit, also when another window did it. */
export function useRemoteHitState(hit: SearchHit): RemoteHitState {
  const { data: track } = useQuery({ ...trackQuery(hit.track_id ?? 0), enabled: hit.track_id !== null });
  const availability = track?.availability ?? hit.availability;
  const word =
    availability === null
      ? null
      : availability === 'available'
        ? 'discover.here'
        : availability === 'fetching'
          ? 'discover.fetching'
          : 'discover.saved';
  return { track, availability, word };
}

export function useRemoteCommands() {
  const queries = useQueryClient();
  const save = useSaveRemote();
  const fetchAudio = useMaterialize();
  /** The track of a hit, which is saved for it when it was not. */
  const trackOf = async (hit: SearchHit): Promise<TrackOut> =>
    hit.track_id === null ? save.mutateAsync(hit) : queries.ensureQueryData(trackQuery(hit.track_id));
  return {
    trackOf,
    /** Fetching begins with saving. */
    fetch: async (hit: SearchHit) => fetchAudio.mutateAsync((await trackOf(hit)).id),
    isPending: save.isPending || fetchAudio.isPending,
    error: save.error ?? fetchAudio.error,
  };
}
