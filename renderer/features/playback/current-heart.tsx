import { useQuery } from '@tanstack/react-query';
import { trackQuery } from '../../api/tracks.ts';
import { Heart } from '../../music/heart.tsx';
import type { QueueTrack } from '../../player/types.ts';

/** Likes what plays. A queue can be old: whether it is liked is asked anew. */
export function CurrentHeart({ track }: { track: QueueTrack }) {
  const { data } = useQuery(trackQuery(track.id));
  return <Heart type="track" item={data ?? track} name={track.title} />;
}
