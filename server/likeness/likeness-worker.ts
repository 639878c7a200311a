// The thread that compares sounds, and the thread that builds the index (the same file, started twice). It only reads
// the database, and answers one question at a time. The thread ends after some time without questions, which frees its
// memory.
import { AUDIO_KEY } from '../analysis/queries.ts';
import { STEPS } from '../analysis/steps.ts';
import type { UserId } from '../db/ids.ts';
import { answerFromDatabase } from '../db/reader-loop.ts';
import { unpackCharacter } from '../dsp/character.ts';
import { buildSoundIndex, countSounds, type SoundCounts } from './build-index.ts';
import { findPath, type FoundPath } from './path.ts';
import { steeredRecord } from './steering.ts';
import { keyOf, openSoundIndex, type Alike, type SoundIndex } from './sound-index.ts';
import { readMap, tracksAlong, tracksIn, type Area, type MapView, type Point, type AreaTracks } from './sound-map.ts';

export type LikenessQuestion =
  | { kind: 'build'; nowMs: number; soundCounts: SoundCounts }
  | { kind: 'count' }
  /**
   * The most similar tracks, without the track itself: one list per id that has a sound. `more` and `less` steer the
   * search.
   */
  | { kind: 'nearest'; ids: number[]; count: number; more?: readonly number[]; less?: readonly number[] }
  /** How tracks rank by likeness to each of some other tracks. */
  | { kind: 'ranks'; anchorIds: readonly number[]; otherIds: number[] }
  /** How similar some tracks are to one track. */
  | { kind: 'compare'; id: number; otherIds: number[] }
  | { kind: 'path'; userId: UserId; from: number; to: number; steps: number }
  | { kind: 'map'; area: Area; points: number; cells: number }
  | { kind: 'area'; area: Area; limit: number; offset: number }
  | { kind: 'line'; points: Point[]; count: number };

interface Nearest extends Alike {
  id: number;
  /** The rank of each likeness, see RankOf. */
  ranks: Float32Array<ArrayBuffer>;
  /** Likeness to the steered sound; without `more` and `less`, to the track itself. The best first. */
  scores: Float32Array<ArrayBuffer>;
}

interface ComparedTrack {
  likeness: number;
  rank: number;
}

/** Results by kind of question; undefined without an index. */
export interface LikenessAnswers {
  build: number;
  count: SoundCounts;
  nearest: Nearest[] | undefined;
  ranks: Map<number, Float32Array<ArrayBuffer>> | undefined;
  compare: (ComparedTrack | null)[] | undefined;
  path: FoundPath | undefined;
  map: MapView | undefined;
  area: AreaTracks | undefined;
  line: number[] | undefined;
}
export type LikenessAnswer = LikenessAnswers[keyof LikenessAnswers];
export type LikenessRequest = LikenessQuestion & { indexPath: string };

answerFromDatabase<LikenessRequest, LikenessAnswer>((client) => {
  const open = createOpener();
  const characterOf = client
    .prepare<[number], Buffer | null>(
      `SELECT a.character FROM tracks t JOIN audio_analyses a ON a.audio_key = ${AUDIO_KEY}
        WHERE t.id = ? AND a.character_version = ${STEPS.character}`,
    )
    .pluck();

  function recordOf(index: SoundIndex, id: number): Uint8Array | undefined {
    const record = index.find(id);
    if (record) return record;
    const bytes = characterOf.get(id);
    const character = bytes ? unpackCharacter(bytes) : undefined;
    return character && index.recordOf(character, id);
  }

  interface SteeredSearch {
    id: number;
    count: number;
    more?: readonly number[];
    less?: readonly number[];
  }

  function nearestTo(index: SoundIndex, record: Uint8Array, { id, count, more = [], less = [] }: SteeredSearch) {
    const recordsOf = (ids: readonly number[]): Uint8Array[] =>
      ids.flatMap((otherId) => recordOf(index, otherId) ?? []);
    const steeredQuery = steeredRecord(record, recordsOf(more), recordsOf(less));
    const { ids, likeness: scores } = withoutTrack(id, index.nearest(steeredQuery ?? record, count + 1));
    const likeness = steeredQuery
      ? Float32Array.from(ids, (otherId) => index.likenessOf(record, index.find(otherId) as Uint8Array))
      : scores;
    return { ids, likeness, scores, ranks: likeness.map(index.ranksFor(record)) };
  }

  function ranksOf(index: SoundIndex, { anchorIds, otherIds }: Extract<LikenessQuestion, { kind: 'ranks' }>) {
    const records = otherIds.map((id) => recordOf(index, id));
    return new Map(
      anchorIds.flatMap((id) => {
        const record = recordOf(index, id);
        if (!record) return [];
        const rankOf = index.ranksFor(record);
        const rank = (otherRecord: Uint8Array | undefined): number =>
          otherRecord ? rankOf(index.likenessOf(record, otherRecord)) : Number.NaN;
        return [[id, Float32Array.from(records, rank)] as const];
      }),
    );
  }

  return (question) => {
    if (question.kind === 'count') return countSounds(client);
    if (question.kind === 'build') return buildSoundIndex(client, question.indexPath, question);
    const index = open(question.indexPath);
    if (!index) return undefined;
    switch (question.kind) {
      case 'nearest':
        return question.ids.flatMap((id) => {
          const record = recordOf(index, id);
          return record ? [{ id, ...nearestTo(index, record, { ...question, id }) }] : [];
        });
      case 'ranks':
        return ranksOf(index, question);
      case 'compare': {
        const record = recordOf(index, question.id);
        const rankOf = record && index.ranksFor(record);
        return question.otherIds.map((id): ComparedTrack | null => {
          const otherRecord = record && recordOf(index, id);
          if (!record || !rankOf || !otherRecord) return null;
          const likeness = index.likenessOf(record, otherRecord);
          return { likeness, rank: rankOf(likeness) };
        });
      }
      case 'path': {
        const [from, to] = [recordOf(index, question.from), recordOf(index, question.to)];
        return from && to && findPath(client, index, { ...question, from, to });
      }
      case 'map':
        return readMap(index, question);
      case 'area':
        return tracksIn(index, question);
      case 'line':
        return tracksAlong(index, question);
    }
  };
});

const withoutTrack = (id: number, { ids, likeness }: Alike): Alike => {
  const indexes = Array.from(ids.keys()).filter((i) => ids[i] !== id);
  return {
    ids: Int32Array.from(indexes, (i) => ids[i] as number),
    likeness: Float32Array.from(indexes, (i) => likeness[i] as number),
  };
};

/** Returns a function that opens the index, and opens it again when there is a new one. */
function createOpener(): (path: string) => SoundIndex | undefined {
  let openedIndex: { key: string; index: SoundIndex | undefined } | undefined;
  return (path) => {
    const key = keyOf(path);
    if (openedIndex?.key !== key) {
      openedIndex?.index?.close();
      openedIndex = key === undefined ? undefined : { key, index: openSoundIndex(path) };
    }
    return openedIndex?.index;
  };
}
