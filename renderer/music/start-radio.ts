// Starts a radio: a queue that goes on by itself from what a person chose.
import i18next from 'i18next';
import { fetchRadio, type Seed } from '../api/likeness.ts';
import type { Player, QueueTrack } from '../player/player.ts';
import type { Items } from './items.ts';
import { firstRadio } from './steering-memory.ts';
import '../i18n/page-texts.ts';

const FIRST_TRACKS = 10;
/** Of many tracks, as many are enough to say what it is like. */
const MAX_STEERING_IDS = 50;

interface Start {
  seed: Seed;
  name: string;
  /** Plays at once, while the others are chosen. */
  first?: QueueTrack;
  more?: readonly number[];
}

/** False when the library has nothing for it. */
export async function startRadio(player: Player, { seed, name, first, more = [] }: Start): Promise<boolean> {
  const from = i18next.t('radio.from', { name });
  const radio = firstRadio(seed, { played: first ? [first.id] : [], more });
  if (first) {
    player.playTracks([first], { shuffle: false, from, radio });
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

/** What a radio from these starts with. */
export async function radioOf(items: Items): Promise<Start | null> {
  const { kind, only, name } = items;
  if (kind === 'track' && only) return { seed: { kind, id: only.id }, name, first: only };
  if ((kind === 'album' || kind === 'artist' || kind === 'playlist') && only)
    return { seed: { kind, id: only.id }, name };
  if (kind === 'genre' && only) return { seed: { kind, name: only.name }, name };
  const [first, ...others] = await items.load();
  if (!first) return null;
  const every = Math.max(1, Math.ceil(others.length / MAX_STEERING_IDS));
  const more = others.filter((_, i) => i % every === 0).map(({ id }) => id);
  return { seed: { kind: 'track', id: first.id }, name: name === '' ? first.title : name, first, more };
}
