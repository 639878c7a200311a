// Files that wait are settled in groups, and each becomes the track that it would be if all were settled at once.
import { expect, it } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import { assign, type Assigned, type PossibleTrack } from '../../../server/scan/assign.ts';
import type { Waiting } from '../../../server/scan/moved-files.ts';
import { relatedFiles } from '../../../server/scan/related-files.ts';
import { seededRandom } from '../../support/test-random.ts';

const AFTER = 1_900 as TrackId;

/** Files and tracks that have audio, keys and places in common, more often the smaller `variety` is. */
function someFiles(seed: number, variety: number) {
  const random = seededRandom(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const hash = (): string | null => (random() < 0.05 ? null : `hash ${below(variety)}`);
  const tracks = Array.from({ length: 2_000 }, (_, i): PossibleTrack => {
    const place = `folder ${i % 40}/${i}`;
    const state = (['here', 'away', 'unknown'] as const)[below(3)] as 'here';
    return {
      id: (i + 1) as TrackId,
      audioHash: hash(),
      formerHash: random() < 0.1 ? hash() : null,
      called: `song ${below(5)}`,
      isBare: false,
      copy: undefined,
      places: [{ place, key: random() < 0.1 ? `key ${below(variety)}` : `key of ${place}`, state }],
    };
  });
  const waiting = new Map<string, Waiting>();
  for (let i = 0; i < 700; i++) {
    const known = random() < 0.7 ? tracks[below(tracks.length)] : undefined;
    const place = known?.places[0]?.place ?? `new/${i}`;
    const key = random() < 0.1 ? `key ${below(variety)}` : `key ${i} of ${place}`;
    const unsettled = { place, known: known?.id ?? null, key, audioHash: hash(), called: `song ${below(5)}` };
    waiting.set(place, { unsettled } as Waiting);
    if (known?.places[0]) known.places[0].state = 'unsettled';
  }
  return { waiting, tracks };
}

/** As MovedFiles.possible finds them. */
function possibleAmong(tracks: readonly PossibleTrack[], files: readonly Waiting[]): PossibleTrack[] {
  const holders = new Set(files.map(({ unsettled }) => unsettled.known));
  const keys = new Set(files.map(({ unsettled }) => unsettled.key));
  const hashes = new Set([
    ...files.map(({ unsettled }) => unsettled.audioHash),
    ...tracks.filter(({ id }) => holders.has(id)).map(({ audioHash }) => audioHash),
  ]);
  hashes.delete(null);
  return tracks.filter(
    ({ id, audioHash, formerHash, places }) =>
      holders.has(id) || hashes.has(audioHash) || hashes.has(formerHash) || places.some(({ key }) => keys.has(key)),
  );
}

it.each([1, 10, 300, 3_000])('files of %i kinds of audio', async (variety) => {
  for (let seed = 1; seed <= 5; seed++) {
    const { waiting, tracks } = someFiles(seed, variety);
    const files = [...waiting.values()].sort((a, b) => (a.unsettled.place < b.unsettled.place ? -1 : 1));
    const assignAll = (some: readonly Waiting[], possible: readonly PossibleTrack[]): Map<string, Assigned> =>
      assign(
        some.map(({ unsettled }) => unsettled),
        possible,
        AFTER,
      );
    const atOnce = assignAll(files, possibleAmong(tracks, files));

    const inGroups = new Map<string, Assigned>();
    let groups = 0;
    const possible = async (some: readonly Waiting[], _: unknown, isKnown: (id: TrackId) => boolean) =>
      possibleAmong(tracks, some).filter(({ id }) => !isKnown(id));
    for await (const group of relatedFiles(waiting, possible)) {
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
