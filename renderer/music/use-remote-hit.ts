// Actions on a search result of an online source, shared by Discover and the search palette.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMaterialize, useSaveRemote } from '../api/remote.ts';
import type { SearchHit, TrackOut } from '../api/routes.ts';
import { trackQuery } from '../api/tracks.ts';
import '../i18n/page-texts.ts';

interface RemoteHitState {
  /** The saved track; undefined before the hit is saved. */
  track: TrackOut | undefined;
  /** Null while the hit is not saved. */
  availability: TrackOut['availability'] | null;
  /** Translation key of the hit's state. */
  word: 'discover.here' | 'discover.fetching' | 'discover.saved' | null;
}

/** A saved hit is a track: changes of the track apply to the hit, also when another window made them. */
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
  /** Returns the track of a hit, and saves the hit first if necessary. */
  const trackOf = async (hit: SearchHit): Promise<TrackOut> =>
    hit.track_id === null ? save.mutateAsync(hit) : queries.ensureQueryData(trackQuery(hit.track_id));
  return {
    trackOf,
    /** Saves the hit first if necessary, then starts the download. */
    fetch: async (hit: SearchHit) => fetchAudio.mutateAsync((await trackOf(hit)).id),
    isPending: save.isPending || fetchAudio.isPending,
    error: save.error ?? fetchAudio.error,
  };
}
