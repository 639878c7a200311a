// Files that wait for the end of the walk, in groups of those that have to do with each other: they have the same
// audio, are the very same file, or may be the same track. Which tracks the files of a group are does not depend on
// other groups, so a library of which every file was changed is settled a few files at a time.
import type { TrackId } from '../db/ids.ts';
import { inSlices, partsOf, yieldIfDue } from '../runtime/time-slices.ts';
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
  /** Those that have something in common with these, each once: what was found is in no other group. */
  function* related(files: readonly Waiting[], tracks: readonly PossibleTrack[]): Generator<Waiting> {
    for (const { unsettled } of files) {
      yield* take(byAudio, unsettled.audioHash);
      yield* take(byKey, unsettled.key);
    }
    for (const { id, audioHash, formerHash, places } of tracks) {
      yield* take(byHolder, id);
      for (const hash of [audioHash, formerHash]) yield* take(byAudio, hash);
      for (const { place, key } of places) {
        yield* take(byKey, key);
        const there = waiting.get(place);
        if (there) yield there;
      }
    }
  }

  const left = new Set(waiting.values());
  while (left.size > 0) {
    const files: Waiting[] = [];
    const tracks = new Map<TrackId, PossibleTrack>();
    let next = firstOf(left, FIRST_FILES);
    while (next.length > 0) {
      for (const file of next) left.delete(file);
      const found: PossibleTrack[] = [];
      for (const part of partsOf(next, FIRST_FILES)) {
        await yieldIfDue();
        for (const file of part) files.push(file);
        for (const track of await possible(part, waiting, (id) => tracks.has(id))) {
          tracks.set(track.id, track);
          found.push(track);
        }
      }
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

function take<K>(found: Map<K, Waiting[]>, key: K | null): readonly Waiting[] {
  const files = key === null ? undefined : found.get(key);
  if (key === null || !files) return [];
  found.delete(key);
  return files;
}
