// Files that wait for the end of the walk, in groups of those that have to do with each other: they have the same
// audio, are the very same file, or may be the same track. Which tracks the files of a group are does not depend on
// other groups, so a library of which every file was changed is settled a few files at a time.
import type { TrackId } from '../db/ids.ts';
import { inSlices, turnToBegin } from '../runtime/time-slices.ts';
import type { PossibleTrack } from './assign.ts';
import type { MovedFiles, Waiting } from './moved-files.ts';

/** What a group begins with; files that have to do with them come in addition. */
const FIRST_FILES = 64;

interface RelatedFiles {
  /** By place. */
  files: Waiting[];
  /** All tracks that one of them may be, by id. */
  tracks: PossibleTrack[];
}

/** Gives each file once. */
export async function* relatedFiles(
  waiting: ReadonlyMap<string, Waiting>,
  possible: MovedFiles['possible'],
): AsyncGenerator<RelatedFiles> {
  const byAudio = new Map<string, Waiting[]>();
  const byKey = new Map<string, Waiting[]>();
  const byHolder = new Map<TrackId, Waiting[]>();
  await inSlices(waiting.values(), (file) => {
    const { audioHash, key, known } = file.unsettled;
    if (audioHash !== null) add(byAudio, audioHash, file);
    add(byKey, key, file);
    if (known !== null) add(byHolder, known, file);
  });
  const related = function* (files: readonly Waiting[], tracks: readonly PossibleTrack[]): Generator<Waiting> {
    for (const { unsettled } of files) {
      yield* byAudio.get(unsettled.audioHash ?? '') ?? [];
      yield* byKey.get(unsettled.key) ?? [];
    }
    for (const { id, audioHash, formerHash, places } of tracks) {
      yield* byHolder.get(id) ?? [];
      for (const hash of [audioHash, formerHash]) yield* byAudio.get(hash ?? '') ?? [];
      for (const { place, key } of places) {
        yield* byKey.get(key) ?? [];
        const there = waiting.get(place);
        if (there) yield there;
      }
    }
  };

  const left = new Set(waiting.values());
  while (left.size > 0) {
    await turnToBegin();
    const files: Waiting[] = [];
    const tracks = new Map<TrackId, PossibleTrack>();
    let next = firstOf(left, FIRST_FILES);
    while (next.length > 0) {
      for (const file of next) left.delete(file);
      files.push(...next);
      const found = await possible(next, waiting, (id) => tracks.has(id));
      for (const track of found) tracks.set(track.id, track);
      next = [...new Set(related(next, found))].filter((file) => left.has(file));
    }
    yield {
      files: files.sort((a, b) => (a.unsettled.place < b.unsettled.place ? -1 : 1)),
      tracks: [...tracks.values()].sort((a, b) => a.id - b.id),
    };
  }
}

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    first.push(item);
    if (first.length === count) break;
  }
  return first;
}

function add<K>(found: Map<K, Waiting[]>, key: K, file: Waiting): void {
  const same = found.get(key);
  if (same) same.push(file);
  else found.set(key, [file]);
}
