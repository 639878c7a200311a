// Waiting files are assigned in groups, with the same result as if all were assigned at once.
import { expect, it } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import { assignTracks, type Assignment, type PossibleTrack } from '../../../server/scan/identity/assign-tracks.ts';
import type { PostponedFile } from '../../../server/scan/identity/moved-files.ts';
import { groupRelatedFiles } from '../../../server/scan/identity/related-files.ts';
import { seededRandom } from '../../support/test-random.ts';

const NEXT_TRACK_ID = 1_900 as TrackId;

/** Makes files and tracks that share audio, keys and places, more often the smaller `variety` is. */
function makeFiles(seed: number, variety: number) {
  const random = seededRandom(seed);
  const randomBelow = (n: number): number => Math.floor(random() * n);
  const hash = (): string | null => (random() < 0.05 ? null : `hash ${randomBelow(variety)}`);
  const tracks = Array.from({ length: 2_000 }, (_, i): PossibleTrack => {
    const filePath = `folder ${i % 40}/${i}`;
    const state = (['present', 'absent', 'unknown'] as const)[randomBelow(3)] as 'present';
    return {
      id: (i + 1) as TrackId,
      audioHash: hash(),
      formerAudioHash: random() < 0.1 ? hash() : null,
      nameKey: `song ${randomBelow(5)}`,
      isUntouched: false,
      copy: undefined,
      locations: [{ filePath, key: random() < 0.1 ? `key ${randomBelow(variety)}` : `key of ${filePath}`, state }],
    };
  });
  const waitingFiles = new Map<string, PostponedFile>();
  for (let i = 0; i < 700; i++) {
    const track = random() < 0.7 ? tracks[randomBelow(tracks.length)] : undefined;
    const filePath = track?.locations[0]?.filePath ?? `new/${i}`;
    const key = random() < 0.1 ? `key ${randomBelow(variety)}` : `key ${i} of ${filePath}`;
    const traits = { filePath, holderId: track?.id ?? null, key, audioHash: hash(), nameKey: `song ${randomBelow(5)}` };
    waitingFiles.set(filePath, { traits } as PostponedFile);
    if (track?.locations[0]) track.locations[0].state = 'postponed';
  }
  return { waiting: waitingFiles, tracks };
}

/** Returns the possible tracks that MovedFiles.possible finds. */
function possibleAmong(tracks: readonly PossibleTrack[], files: readonly PostponedFile[]): PossibleTrack[] {
  const holderIds = new Set(files.map(({ traits }) => traits.holderId));
  const keys = new Set(files.map(({ traits }) => traits.key));
  const hashes = new Set([
    ...files.map(({ traits }) => traits.audioHash),
    ...tracks.filter(({ id }) => holderIds.has(id)).map(({ audioHash }) => audioHash),
  ]);
  hashes.delete(null);
  return tracks.filter(
    ({ id, audioHash, formerAudioHash, locations }) =>
      holderIds.has(id) ||
      hashes.has(audioHash) ||
      hashes.has(formerAudioHash) ||
      locations.some(({ key }) => keys.has(key)),
  );
}

it.each([1, 10, 300, 3_000])('files of %i kinds of audio', async (variety) => {
  for (let seed = 1; seed <= 5; seed++) {
    const { waiting, tracks } = makeFiles(seed, variety);
    const files = [...waiting.values()].sort((a, b) => (a.traits.filePath < b.traits.filePath ? -1 : 1));
    const assignAll = (
      someWaitingFiles: readonly PostponedFile[],
      possibleTracks: readonly PossibleTrack[],
    ): Map<string, Assignment> =>
      assignTracks(
        someWaitingFiles.map(({ traits }) => traits),
        possibleTracks,
        NEXT_TRACK_ID,
      );
    const assignedAtOnce = assignAll(files, possibleAmong(tracks, files));

    const assignedInGroups = new Map<string, Assignment>();
    let groups = 0;
    const findPossible = async (
      someWaitingFiles: readonly PostponedFile[],
      _: unknown,
      isKnown: (id: TrackId) => boolean,
    ) => possibleAmong(tracks, someWaitingFiles).filter(({ id }) => !isKnown(id));
    for await (const group of groupRelatedFiles(waiting, findPossible)) {
      groups++;
      for (const [place, assignment] of assignAll(group.files, group.tracks)) {
        expect(assignedInGroups.has(place)).toBe(false);
        assignedInGroups.set(place, assignment);
      }
    }
    expect(assignedInGroups).toEqual(assignedAtOnce);
    if (variety > 1_000) expect(groups).toBeGreaterThan(5);
  }
});
