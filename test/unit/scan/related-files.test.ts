// Files that wait are settled in groups, and each becomes the track that it would be if all were settled at once.
import { expect, it } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import { assignTracks, type Assignment, type PossibleTrack } from '../../../server/scan/identity/assign-tracks.ts';
import type { PostponedFile } from '../../../server/scan/identity/moved-files.ts';
import { groupRelatedFiles } from '../../../server/scan/identity/related-files.ts';
import { seededRandom } from '../../support/test-random.ts';

const AFTER = 1_900 as TrackId;

/** Files and tracks that have audio, keys and places in common, more often the smaller `variety` is. */
function someFiles(seed: number, variety: number) {
  const random = seededRandom(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const hash = (): string | null => (random() < 0.05 ? null : `hash ${below(variety)}`);
  const tracks = Array.from({ length: 2_000 }, (_, i): PossibleTrack => {
    const filePath = `folder ${i % 40}/${i}`;
    const state = (['present', 'absent', 'unknown'] as const)[below(3)] as 'present';
    return {
      id: (i + 1) as TrackId,
      audioHash: hash(),
      formerAudioHash: random() < 0.1 ? hash() : null,
      nameKey: `song ${below(5)}`,
      isUntouched: false,
      copy: undefined,
      locations: [{ filePath, key: random() < 0.1 ? `key ${below(variety)}` : `key of ${filePath}`, state }],
    };
  });
  const waiting = new Map<string, PostponedFile>();
  for (let i = 0; i < 700; i++) {
    const track = random() < 0.7 ? tracks[below(tracks.length)] : undefined;
    const filePath = track?.locations[0]?.filePath ?? `new/${i}`;
    const key = random() < 0.1 ? `key ${below(variety)}` : `key ${i} of ${filePath}`;
    const traits = { filePath, holderId: track?.id ?? null, key, audioHash: hash(), nameKey: `song ${below(5)}` };
    waiting.set(filePath, { traits } as PostponedFile);
    if (track?.locations[0]) track.locations[0].state = 'postponed';
  }
  return { waiting, tracks };
}

/** As MovedFiles.possible finds them. */
function possibleAmong(tracks: readonly PossibleTrack[], files: readonly PostponedFile[]): PossibleTrack[] {
  const holders = new Set(files.map(({ traits }) => traits.holderId));
  const keys = new Set(files.map(({ traits }) => traits.key));
  const hashes = new Set([
    ...files.map(({ traits }) => traits.audioHash),
    ...tracks.filter(({ id }) => holders.has(id)).map(({ audioHash }) => audioHash),
  ]);
  hashes.delete(null);
  return tracks.filter(
    ({ id, audioHash, formerAudioHash, locations }) =>
      holders.has(id) ||
      hashes.has(audioHash) ||
      hashes.has(formerAudioHash) ||
      locations.some(({ key }) => keys.has(key)),
  );
}

it.each([1, 10, 300, 3_000])('files of %i kinds of audio', async (variety) => {
  for (let seed = 1; seed <= 5; seed++) {
    const { waiting, tracks } = someFiles(seed, variety);
    const files = [...waiting.values()].sort((a, b) => (a.traits.filePath < b.traits.filePath ? -1 : 1));
    const assignAll = (some: readonly PostponedFile[], possible: readonly PossibleTrack[]): Map<string, Assignment> =>
      assignTracks(
        some.map(({ traits }) => traits),
        possible,
        AFTER,
      );
    const atOnce = assignAll(files, possibleAmong(tracks, files));

    const inGroups = new Map<string, Assignment>();
    let groups = 0;
    const possible = async (some: readonly PostponedFile[], _: unknown, isKnown: (id: TrackId) => boolean) =>
      possibleAmong(tracks, some).filter(({ id }) => !isKnown(id));
    for await (const group of groupRelatedFiles(waiting, possible)) {
      groups++;
      for (const [place, is] of assignAll(group.files, group.tracks)) {
        expect(inGroups.has(place)).toBe(false);
        inGroups.set(place, is);
      }
    }
    expect(inGroups).toEqual(atOnce);
    if (variety > 1_000) expect(groups).toBeGreaterThan(5);
  }
});
