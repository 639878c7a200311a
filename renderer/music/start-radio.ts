// Starts a radio: an endless queue from a seed.
import i18next from 'i18next';
import { fetchRadio, type Seed } from '../api/likeness.ts';
import type { Player, QueueTrack } from '../player/player.ts';
import type { Items } from './items.ts';
import { firstRadio } from './steering-memory.ts';
import '../i18n/page-texts.ts';

const FIRST_TRACKS = 10;
/** Maximum number of selected ids sent as steering; this many describe a large selection well enough. */
const MAX_STEERING_IDS = 50;

interface Start {
  seed: Seed;
  name: string;
  /** A track that plays at once, while the server chooses the following tracks. */
  first?: QueueTrack;
  more?: readonly number[];
}

/** Resolves to false if the library has no tracks for this radio. */
export async function startRadio(
  player: Player,
  { seed, name, first: firstTrack, more = [] }: Start,
): Promise<boolean> {
  const from = i18next.t('radio.from', { name });
  const radio = firstRadio(seed, { played: firstTrack ? [firstTrack.id] : [], more });
  if (firstTrack) {
    player.playTracks([firstTrack], { shuffle: false, from, radio });
    return true;
  }
  const { items, by } = await fetchRadio(radio, FIRST_TRACKS);
  if (items.length === 0) return false;
  player.playTracks(
    items.map(({ track, reasons }) => ({ ...track, why: reasons })),
    { shuffle: false, from, radio: { ...radio, by, played: items.map(({ track }) => track.id) } },
  );
  return true;
}

/** Returns the seed of a radio from these items, and its first track. */
export async function radioOf(items: Items): Promise<Start | null> {
  const { kind, only, name } = items;
  if (kind === 'track' && only) return { seed: { kind, id: only.id }, name, first: only };
  if ((kind === 'album' || kind === 'artist' || kind === 'playlist') && only)
    return { seed: { kind, id: only.id }, name };
  if (kind === 'genre' && only) return { seed: { kind, name: only.name }, name };
  const [firstTrack, ...otherTracks] = await items.load();
  if (!firstTrack) return null;
  const every = Math.max(1, Math.ceil(otherTracks.length / MAX_STEERING_IDS));
  const more = otherTracks.filter((_, i) => i % every === 0).map(({ id }) => id);
  return {
    seed: { kind: 'track', id: firstTrack.id },
    name: name === '' ? firstTrack.title : name,
    first: firstTrack,
    more,
  };
}
