// The queue of a device as it is handed over to another one. The server checks tracks and position; what only windows
// understand is passed on as text, and checked here.
import type { HandOverIn, HandOverOut } from '../api/routes.ts';
import { isRecord } from '../stored-choice.ts';
import { currentEntry, isSounding, type ListRest, type Player, type PlayerState, type Radio } from './player.ts';
import { cutQueue } from './saved-state.ts';

/** The server accepts longer texts than this. A list or radio with more exceptions is handed over without its rest. */
const MAX_CONTEXT_CHARS = 50_000;

export function toHandOver(state: PlayerState): Omit<HandOverIn, 'id' | 'from'> | null {
  if (!currentEntry(state)) return null;
  const { queue, index, rest } = cutQueue(state);
  const { listening } = state;
  const ranks = queue.map(({ order }) => order).toSorted((a, b) => a - b);
  const rankOf = new Map(ranks.map((order, rank) => [order, rank]));
  const context = JSON.stringify({
    from: state.from,
    rest,
    radio: state.radio,
    orders: state.shuffle ? queue.map(({ order }) => rankOf.get(order)) : undefined,
    added: queue.flatMap(({ added }, position) => (added ? [position] : [])),
  });
  return {
    track_ids: queue.map(({ track }) => track.id),
    current_index: index,
    position_ms: Math.max(0, Math.round(state.positionMs)),
    playing: isSounding(state),
    speed: state.speed,
    shuffle: state.shuffle,
    repeat: state.repeat,
    listening: listening && {
      play_id: listening.id,
      started_at: new Date(listening.startedAt).toISOString(),
      heard_ms: Math.round(listening.heardMs),
      reported_ms: listening.reportedMs === null ? null : Math.round(listening.reportedMs),
    },
    context: context.length <= MAX_CONTEXT_CHARS ? context : JSON.stringify({ from: state.from }),
  };
}

/** Returns the arguments with which a player takes the queue over; null if no track of it is in the library. */
export function fromHandOver(handOver: HandOverOut): Parameters<Player['restore']> | null {
  const { tracks, current_index, position_ms, shuffle, repeat, listening } = handOver;
  const track = tracks[current_index];
  if (!track) return null;
  const { from, rest, radio, orders, added } = parse(handOver.context);
  const isForAll = (list: unknown): list is number[] => isNumbers(list) && list.length === tracks.length;
  return [
    tracks,
    current_index,
    position_ms,
    {
      from: typeof from === 'string' ? from : null,
      rest: isListRest(rest) ? rest : null,
      radio: isRadio(radio) ? radio : null,
      shuffle,
      repeat,
      ...(isForAll(orders) && { orders }),
      ...(isNumbers(added) && { added }),
      listening: listening && {
        id: listening.play_id,
        trackId: track.id,
        startedAt: Date.parse(listening.started_at),
        heardMs: listening.heard_ms,
        reportedMs: listening.reported_ms,
      },
    },
  ];
}

function parse(context: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(context);
    return isRecord(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && Number(item) >= 0);

const isListRest = (value: unknown): value is ListRest =>
  isRecord(value) &&
  typeof value['name'] === 'string' &&
  isRecord(value['query']) &&
  isNumbers(value['without']) &&
  isNumbers([value['first'], value['next'], value['end'], value['total'], value['leftAt'], value['seed'] ?? 0]);

const isRadio = (value: unknown): value is Radio =>
  isRecord(value) &&
  isRecord(value['seed']) &&
  typeof value['by'] === 'string' &&
  [value['played'], value['more'], value['less']].every(isNumbers);
