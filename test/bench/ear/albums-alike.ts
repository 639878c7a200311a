// How well sounds find the other tracks of their album, beside what other programs make of the same tracks.
import type { Character } from '../../../server/dsp/character.ts';
import { createVectorTrainer, createVectorWriter } from '../../../server/dsp/sound-vector.ts';
import type { Measure } from '../measure.ts';
import { beside } from './hear.ts';
import { isPackageHeldOut } from './held-out.ts';
import type { Recorded } from './soundtracks.ts';

/** `judged` is empty, or has what others make of each track. */
export function albumsAlike(
  recorded: readonly Recorded[],
  characters: readonly Character[],
  judged: readonly { sonara?: number[]; librosa?: number[] }[],
): Measure[] {
  const measures: Measure[] = [];
  const albums = recorded.map(({ album }) => album);
  const ownPrecision = precisionWithoutOwnAlbum(recorded, characters);
  const heldOut = recorded.flatMap((track, n) => (isPackageHeldOut(track.package) ? [n] : []));
  const heldOutAlbums = heldOut.map((n) => albums[n] as string);
  const trained = trainVectorsBy(recorded, characters, (track) => !isPackageHeldOut(track.package));
  const ownHeldOut = precision(
    heldOut.map((n) => trained(characters[n] as Character)),
    heldOutAlbums,
  );
  for (const [other, times] of [
    ['librosa', 1.35],
    ['sonara', 1.2],
  ] as const) {
    const theirs = judged.flatMap((one) => (one[other] ? [one[other]] : []));
    if (theirs.length !== recorded.length) {
      console.error(
        `NOT JUDGED: albums beside ${other}, which is absent; the product's own shares: ${ownPrecision}, ${ownHeldOut}`,
      );
      continue;
    }
    const name = `same album, left out of training, among ten of ${recorded.length} in ${new Set(albums).size} albums`;
    const nameHeldOut = `the same of held-out packages, ${heldOut.length} in ${new Set(heldOutAlbums).size} albums`;
    const theirsHeldOut = standardized(heldOut.map((n) => theirs[n] as number[]));
    measures.push(
      beside(name, other, ownPrecision, precision(standardized(theirs), albums), times),
      beside(nameHeldOut, other, ownHeldOut, precision(theirsHeldOut, heldOutAlbums), times),
    );
  }
  return measures;
}

/** Whitened by these tracks, as in a library that is made of them. */
export function trainVectors(recorded: readonly Recorded[], characters: readonly Character[]) {
  const trainer = createVectorTrainer();
  const albums = [...new Set(recorded.map(({ album }) => album))];
  recorded.forEach(({ album }, n) => trainer.push(characters[n] as Character, albums.indexOf(album)));
  const vectorOf = createVectorWriter(trainer.finish());
  return (character: Character): number[] => unit([...vectorOf(character)]);
}

/** Trained by the tracks for which `isTrainer` is true. */
function trainVectorsBy(
  recorded: readonly Recorded[],
  characters: readonly Character[],
  isTrainer: (track: Recorded) => boolean,
) {
  return trainVectors(
    recorded.filter(isTrainer),
    characters.filter((_, n) => isTrainer(recorded[n] as Recorded)),
  );
}

/** Each album is asked for with vectors that it did not train. */
function precisionWithoutOwnAlbum(recorded: readonly Recorded[], characters: readonly Character[]): number {
  const albums = recorded.map(({ album }) => album);
  const shares = [...new Set(albums)].flatMap((album) => {
    const vectorOf = trainVectorsBy(recorded, characters, (track) => track.album !== album);
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

/** Which share of the ten nearest has the same album, or artist, in the mean. */
export function precision(vectors: readonly number[][], classes: readonly (string | undefined)[]): number {
  return mean([...new Set(classes)].flatMap((name) => shareOfClass(vectors, classes, name)));
}

/** The same for each track of one class, which has others. */
function shareOfClass(
  vectors: readonly number[][],
  classes: readonly (string | undefined)[],
  name: string | undefined,
): number[] {
  const members = classes.flatMap((one, n) => (one === name ? [n] : []));
  if (name === undefined || members.length < 2) return [];
  return members.map((n) => {
    const nearest = vectors
      .map((other, i) => ({ i, like: i === n ? -Infinity : dot(vectors[n] as number[], other) }))
      .sort((a, b) => b.like - a.like)
      .slice(0, 10);
    return nearest.filter(({ i }) => classes[i] === name).length / nearest.length;
  });
}

/** Every value in units of its spread, around its mean. */
function standardized(vectors: readonly number[][]): number[][] {
  const columns = (vectors[0] ?? []).map((_, i) => {
    const mean = vectors.reduce((sum, one) => sum + (one[i] as number), 0) / vectors.length;
    const square = vectors.reduce((sum, one) => sum + ((one[i] as number) - mean) ** 2, 0) / vectors.length;
    return { mean, spread: Math.sqrt(square) || 1 };
  });
  return vectors.map((one) => unit(one.map((value, i) => (value - columns[i]!.mean) / columns[i]!.spread)));
}
