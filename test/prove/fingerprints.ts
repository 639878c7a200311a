// Measures how similar the fingerprints of one recording in several encodings are, and those of recordings that only
// sound alike. All audio is rendered from seeds: chords, melody, bass and drums, no recorded music.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { soundSimilarity } from '../../server/media/fingerprint-match.ts';
import { encodeMusic, writeMusic, type Encoding, type Piece } from '../support/music.ts';
import { createRealFingerprinter } from './real-fingerprinter.ts';

export const PIECE_SECONDS = 24;
const TESTED_ENCODINGS: Encoding[] = ['mp3-128', 'mp3', 'mp3-320', 'm4a', 'ogg', 'opus', 'flac'];
const SIMILARITY_THRESHOLDS = [0.8, 0.85, 0.9, 0.92, 0.94, 0.96];

/** Ways of making another recording of the same tune. */
export const OTHER_RECORDINGS: Record<string, (seed: number) => Omit<Piece, 'seed' | 'seconds'>> = {
  'another take': (seed) => ({ take: seed + 1 }),
  'another arrangement': () => ({ overtones: [0.4, 1, 0.2, 0.8, 0.5, 0.3] }),
  'another take and arrangement': (seed) => ({ take: seed + 2, overtones: [1, 0.1, 0.7, 0.05, 0.4] }),
  'one hundredth faster': () => ({ tempo: 1.01 }),
  'three hundredths faster': () => ({ tempo: 1.03 }),
  'half a tone higher': () => ({ higher: 1 }),
  'an edit without its second third': () => ({}),
};

export async function proveFingerprints({ seed, runs = 40 }: { seed: number; runs: number | undefined }) {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-fingerprints-'));
  const fingerprinter = createRealFingerprinter();
  const neverAborted = new AbortController().signal;
  const fingerprintOf = async (path: string): Promise<Uint32Array> => {
    const format = path.slice(path.lastIndexOf('.') + 1);
    return (await fingerprinter.fingerprint({ path, format, durationMs: PIECE_SECONDS * 1_000 }, neverAborted)).raw;
  };
  const sameSimilarities: number[] = [];
  const otherSimilarities = new Map<string, number[]>();
  const tunes: Uint32Array[] = [];
  try {
    for (let run = 0; run < runs; run++) {
      const piece = { seed: seed + run * 10, seconds: PIECE_SECONDS };
      const wav = join(dir, 'tune.wav');
      writeMusic(wav, piece);
      const fingerprints: Uint32Array[] = [];
      for (const encoding of TESTED_ENCODINGS) {
        const path = join(dir, `tune.${encoding.split('-')[0]}`);
        encodeMusic(wav, path, encoding);
        fingerprints.push(await fingerprintOf(path));
      }
      fingerprints.forEach((fingerprint, i) =>
        fingerprints
          .slice(i + 1)
          .forEach((otherFingerprint) => sameSimilarities.push(soundSimilarity(fingerprint, otherFingerprint))),
      );
      const [firstFingerprint] = fingerprints as [Uint32Array];
      for (const [name, change] of Object.entries(OTHER_RECORDINGS)) {
        const [wavPath, path] = [join(dir, 'other.wav'), join(dir, 'other.mp3')];
        writeMusic(wavPath, { ...piece, ...change(piece.seed) });
        encodeMusic(wavPath, path, 'mp3', {}, name.startsWith('an edit') ? EDIT_FILTERS : []);
        otherSimilarities.set(name, [
          ...(otherSimilarities.get(name) ?? []),
          soundSimilarity(firstFingerprint, await fingerprintOf(path)),
        ]);
      }
      otherSimilarities.set('another tune', [
        ...(otherSimilarities.get('another tune') ?? []),
        ...tunes.map((tune) => soundSimilarity(firstFingerprint, tune)),
      ]);
      tunes.push(firstFingerprint);
    }
  } finally {
    await fingerprinter.close();
    rmSync(dir, { recursive: true, force: true });
  }
  console.log(`${runs} tunes of ${PIECE_SECONDS} s from seed ${seed}`);
  for (const [name, similarities] of [['the same recording', sameSimilarities] as const, ...otherSimilarities])
    console.log(`${name}: ${similarities.length} pairs, ${describeSimilarities(similarities)}`);
  const allOtherSimilarities = [...otherSimilarities.values()].flat();
  for (const threshold of SIMILARITY_THRESHOLDS) {
    const missedCount = sameSimilarities.filter((similarity) => similarity < threshold).length;
    const wronglyTaken = allOtherSimilarities.filter((similarity) => similarity >= threshold).length;
    console.log(
      `from ${threshold}: ${missedCount} of ${sameSimilarities.length} missed, ${wronglyTaken} of ${allOtherSimilarities.length} wrongly taken`,
    );
  }
  return true;
}

/** ffmpeg filters that remove the middle and repeat the end, so that the length stays the same. */
export const EDIT_FILTERS = [
  '-filter_complex',
  'asplit=3[a][b][c];[a]atrim=0:8[d];[b]atrim=16:24,asetpts=PTS-STARTPTS[e];[c]atrim=16:24,asetpts=PTS-STARTPTS[f];[d][e][f]concat=n=3:v=0:a=1',
];

function describeSimilarities(similarities: number[]): string {
  const sortedSimilarities = similarities.toSorted((a, b) => a - b);
  const percentile = (share: number): string =>
    (sortedSimilarities[Math.floor(share * (sortedSimilarities.length - 1))] ?? 0).toFixed(3);
  return `least ${percentile(0)}, 1 % ${percentile(0.01)}, median ${percentile(0.5)}, 99 % ${percentile(0.99)}, most ${percentile(1)}`;
}
