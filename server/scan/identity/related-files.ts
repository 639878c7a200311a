// Groups the files that wait for the end of the walk. Two files are in one group if they have the same audio, are the
// same file, or may be the same track. The assignment of a group does not depend on other groups, so a library in which
// every file changed is assigned a few files at a time.
import type { TrackId } from '../../db/ids.ts';
import { inSlices, partsOf, yieldIfDue } from '../../runtime/time-slices.ts';
import type { PossibleTrack } from './assign-tracks.ts';
import type { MovedFiles, PostponedFile } from './moved-files.ts';

/** The number of files with which a group starts; related files are added to them. */
const GROUP_SEED_FILES = 64;

interface RelatedGroup {
  /** The files of the group, in the order of their paths. */
  files: PostponedFile[];
  /** All tracks that one of the files may be, in the order of their ids. */
  tracks: PossibleTrack[];
}

/** Yields the groups; each file is in one group. */
export async function* groupRelatedFiles(
  postponedFiles: ReadonlyMap<string, PostponedFile>,
  findPossibleTracks: MovedFiles['findPossibleTracks'],
): AsyncGenerator<RelatedGroup> {
  const filesByAudio = new Map<string, PostponedFile[]>();
  const filesByKey = new Map<string, PostponedFile[]>();
  const filesByHolder = new Map<TrackId, PostponedFile[]>();
  await inSlices(postponedFiles.values(), (file) => {
    const { audioHash, key, holderId } = file.traits;
    if (audioHash !== null) add(filesByAudio, audioHash, file);
    add(filesByKey, key, file);
    if (holderId !== null) add(filesByHolder, holderId, file);
  });
  /**
   * Yields the files that have audio, stamp or a track in common with these, each once. A file that was yielded is in
   * no other group.
   */
  function* takeRelated(files: readonly PostponedFile[], tracks: readonly PossibleTrack[]): Generator<PostponedFile> {
    for (const { traits } of files) {
      yield* takeFiles(filesByAudio, traits.audioHash);
      yield* takeFiles(filesByKey, traits.key);
    }
    for (const { id, audioHash, formerAudioHash, locations } of tracks) {
      yield* takeFiles(filesByHolder, id);
      for (const hash of [audioHash, formerAudioHash]) yield* takeFiles(filesByAudio, hash);
      for (const { filePath, key } of locations) {
        yield* takeFiles(filesByKey, key);
        const postponedFile = postponedFiles.get(filePath);
        if (postponedFile) yield postponedFile;
      }
    }
  }

  const ungroupedFiles = new Set(postponedFiles.values());
  while (ungroupedFiles.size > 0) {
    const files: PostponedFile[] = [];
    const tracks = new Map<TrackId, PossibleTrack>();
    let newFiles = takeFirst(ungroupedFiles, GROUP_SEED_FILES);
    while (newFiles.length > 0) {
      for (const file of newFiles) ungroupedFiles.delete(file);
      const newTracks: PossibleTrack[] = [];
      for (const chunk of partsOf(newFiles, GROUP_SEED_FILES)) {
        await yieldIfDue();
        for (const file of chunk) files.push(file);
        for (const track of await findPossibleTracks(chunk, postponedFiles, (id) => tracks.has(id))) {
          tracks.set(track.id, track);
          newTracks.push(track);
        }
      }
      newFiles = [...new Set(takeRelated(newFiles, newTracks))].filter((file) => ungroupedFiles.has(file));
    }
    yield {
      files: files.sort((a, b) => (a.traits.filePath < b.traits.filePath ? -1 : 1)),
      tracks: [...tracks.values()].sort((a, b) => a.id - b.id),
    };
  }
}

function takeFirst<T>(items: Iterable<T>, count: number): T[] {
  const firstItems: T[] = [];
  for (const item of items) {
    firstItems.push(item);
    if (firstItems.length === count) break;
  }
  return firstItems;
}

function add<K>(filesByKey: Map<K, PostponedFile[]>, key: K, file: PostponedFile): void {
  const files = filesByKey.get(key);
  if (files) files.push(file);
  else filesByKey.set(key, [file]);
}

function takeFiles<K>(filesByKey: Map<K, PostponedFile[]>, key: K | null): readonly PostponedFile[] {
  const files = key === null ? undefined : filesByKey.get(key);
  if (key === null || !files) return [];
  filesByKey.delete(key);
  return files;
}
