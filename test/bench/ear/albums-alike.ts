// Measures how well sounds find the other tracks of their album, compared with other programs on the same tracks.
import type { Character } from '../../../server/dsp/character.ts';
import { createVectorTrainer, createVectorWriter } from '../../../server/dsp/sound-vector.ts';
import type { Measure } from '../measure.ts';
import { compareWith } from './hear.ts';
import { isPackageHeldOut } from './held-out.ts';
import type { Recorded } from './soundtracks.ts';

/**
 * Measures album likeness. `referenceVectors` contains the vectors that other programs compute for each track; it may
 * be empty.
 */
export function measureAlbumLikeness(
  recordedTracks: readonly Recorded[],
  characters: readonly Character[],
  referenceVectors: readonly { sonara?: number[]; librosa?: number[] }[],
): Measure[] {
  const measures: Measure[] = [];
  const albums = recordedTracks.map(({ album }) => album);
  const ownPrecision = precisionWithoutOwnAlbum(recordedTracks, characters);
  const heldOut = recordedTracks.flatMap((track, n) => (isPackageHeldOut(track.package) ? [n] : []));
  const heldOutAlbums = heldOut.map((n) => albums[n] as string);
  const trainedVector = trainVectorsBy(recordedTracks, characters, (track) => !isPackageHeldOut(track.package));
  const ownHeldOut = precision(
    heldOut.map((n) => trainedVector(characters[n] as Character)),
    heldOutAlbums,
  );
  for (const [judgeName, times] of [
    ['librosa', 1.35],
    ['sonara', 1.2],
  ] as const) {
    const judgeVectors = referenceVectors.flatMap((vectors) => (vectors[judgeName] ? [vectors[judgeName]] : []));
    if (judgeVectors.length !== recordedTracks.length) {
      console.error(
        `NOT JUDGED: albums beside ${judgeName}, which is absent; the product's own shares: ${ownPrecision}, ${ownHeldOut}`,
      );
      continue;
    }
    const name = `same album, left out of training, among ten of ${recordedTracks.length} in ${new Set(albums).size} albums`;
    const nameHeldOut = `the same of held-out packages, ${heldOut.length} in ${new Set(heldOutAlbums).size} albums`;
    const theirsHeldOut = standardizeVectors(heldOut.map((n) => judgeVectors[n] as number[]));
    measures.push(
      compareWith(name, judgeName, ownPrecision, precision(standardizeVectors(judgeVectors), albums), times),
      compareWith(nameHeldOut, judgeName, ownHeldOut, precision(theirsHeldOut, heldOutAlbums), times),
    );
  }
  return measures;
}

/** Returns a function that computes vectors whitened by these tracks, as in a library that consists of them. */
export function trainVectors(recordedTracks: readonly Recorded[], characters: readonly Character[]) {
  const trainer = createVectorTrainer();
  const albums = [...new Set(recordedTracks.map(({ album }) => album))];
  recordedTracks.forEach(({ album }, n) => trainer.push(characters[n] as Character, albums.indexOf(album)));
  const vectorOf = createVectorWriter(trainer.finish());
  return (character: Character): number[] => unit([...vectorOf(character)]);
}

/** Trains the vectors with the tracks for which `isTrainer` is true. */
function trainVectorsBy(
  recordedTracks: readonly Recorded[],
  characters: readonly Character[],
  isTrainer: (track: Recorded) => boolean,
) {
  return trainVectors(
    recordedTracks.filter(isTrainer),
    characters.filter((_, n) => isTrainer(recordedTracks[n] as Recorded)),
  );
}

/** Returns the precision with vectors that were trained without the album in question. */
function precisionWithoutOwnAlbum(recordedTracks: readonly Recorded[], characters: readonly Character[]): number {
  const albums = recordedTracks.map(({ album }) => album);
  const shares = [...new Set(albums)].flatMap((album) => {
    const vectorOf = trainVectorsBy(recordedTracks, characters, (track) => track.album !== album);
    return shareOfClass(characters.map(vectorOf), albums, album);
  });
  return mean(shares);
}

function unit(values: readonly number[]): number[] {
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}
export const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** Returns the average share of a track's ten nearest tracks that belong to the same album or artist. */
export function precision(vectors: readonly number[][], classes: readonly (string | undefined)[]): number {
  return mean([...new Set(classes)].flatMap((name) => shareOfClass(vectors, classes, name)));
}

/** Returns this share for each track of one class; empty for a class with a single track. */
function shareOfClass(
  vectors: readonly number[][],
  classes: readonly (string | undefined)[],
  name: string | undefined,
): number[] {
  const members = classes.flatMap((className, n) => (className === name ? [n] : []));
  if (name === undefined || members.length < 2) return [];
  return members.map((n) => {
    const nearest = vectors
      .map((otherVector, i) => ({ i, like: i === n ? -Infinity : dot(vectors[n] as number[], otherVector) }))
      .sort((a, b) => b.like - a.like)
      .slice(0, 10);
    return nearest.filter(({ i }) => classes[i] === name).length / nearest.length;
  });
}

/** Returns the vectors with every value relative to its mean, in units of its spread. */
function standardizeVectors(vectors: readonly number[][]): number[][] {
  const columns = (vectors[0] ?? []).map((_, i) => {
    const mean = vectors.reduce((sum, vector) => sum + (vector[i] as number), 0) / vectors.length;
    const square = vectors.reduce((sum, vector) => sum + ((vector[i] as number) - mean) ** 2, 0) / vectors.length;
    return { mean, spread: Math.sqrt(square) || 1 };
  });
  return vectors.map((vector) => unit(vector.map((value, i) => (value - columns[i]!.mean) / columns[i]!.spread)));
}
