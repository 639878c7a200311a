// The steering of each radio, by account, stored only in the browser. A restarted radio uses its previous steering.
import type { Seed } from '../api/likeness.ts';
import { getSession } from '../api/session.ts';
import type { Radio, Steering } from '../player/player.ts';
import { asJson, isRecord, storedChoice } from '../stored-choice.ts';

interface SteeringIds {
  readonly more: readonly number[];
  readonly less: readonly number[];
}
type SteeringByRadio = Readonly<Record<string, SteeringIds>>;

/** Only the radios that were steered last are kept. */
const MAX_RADIOS = 100;
const MAX_TRACKS = 50;
const NOT_STEERED: SteeringIds = { more: [], less: [] };

const steeringByRadio = storedChoice<SteeringByRadio>({
  name: 'steering',
  key: () => `tonearm.steering.${getSession()?.user.id ?? ''}`,
  initial: {},
  ...asJson<SteeringByRadio>((value) =>
    isRecord(value) && Object.values(value).every(isSteeringIds) ? (value as never) : undefined,
  ),
});

const isIds = (value: unknown): boolean => Array.isArray(value) && value.every(Number.isSafeInteger);
const isSteeringIds = (value: unknown): boolean => isRecord(value) && isIds(value['more']) && isIds(value['less']);

/** Returns the same key for each start of a radio, in any time zone. */
function keyOf(seed: Seed): string {
  switch (seed.kind) {
    case 'genre':
      return `genre ${seed.name}`;
    case 'mood':
      return `mood ${seed.mood}`;
    case 'moment':
      return `moment ${seed.hour}`;
    default:
      return `${seed.kind} ${seed.id}`;
  }
}

export const steeringOf = (seed: Seed): SteeringIds => steeringByRadio.get()[keyOf(seed)] ?? NOT_STEERED;

/** Returns a new radio with the steering that was stored for its seed. */
export function firstRadio(seed: Seed, { played, more }: Pick<Radio, 'played' | 'more'>): Radio {
  const steering = steeringOf(seed);
  return { seed, by: 'sound', played, more: [...more, ...steering.more], less: steering.less };
}

export function useSteeringIds(seed: Seed | undefined): SteeringIds {
  const allSteering = steeringByRadio.use();
  return (seed && allSteering[keyOf(seed)]) ?? NOT_STEERED;
}

export function noteSteering(seed: Seed, { more, less, forget }: Steering): void {
  const { [keyOf(seed)]: steering = NOT_STEERED, ...otherRadios } = steeringByRadio.get();
  const changedIds = (ids: readonly number[], addedId: number | undefined): number[] =>
    [
      ...ids.filter((id) => id !== more && id !== less && id !== forget),
      ...(addedId === undefined ? [] : [addedId]),
    ].slice(-MAX_TRACKS);
  const next: SteeringIds = { more: changedIds(steering.more, more), less: changedIds(steering.less, less) };
  const isSteered = next.more.length + next.less.length > 0;
  const recentEntries = Object.entries(otherRadios).slice(-(MAX_RADIOS - 1));
  steeringByRadio.set(Object.fromEntries([...recentEntries, ...(isSteered ? [[keyOf(seed), next] as const] : [])]));
}
