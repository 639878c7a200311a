// Turns the results of an analysis into the columns of its row, and into the fields that go to the rows of tracks.
import type { SoundAnalysis } from '../dsp/listener.ts';
import { packCharacter } from '../dsp/character.ts';
import { packHistograms } from '../dsp/histogram-code.ts';
import { gainFor } from '../dsp/loudness.ts';
import type { Measured } from '../library/tracks/measured.ts';
import { packBeats } from './beat-code.ts';
import type { AnalysisRow } from './queries.ts';
import { MIN_KEY_CONFIDENCE, MIN_TEMPO_CONFIDENCE, STEPS } from './steps.ts';

type Columns = Partial<Omit<AnalysisRow, 'audioKey'>>;

const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

export function columnsOf({ frames, sampleRateHz, loudness, waveform, rhythm, character }: SoundAnalysis): Columns {
  if (loudness && ![loudness.integrated ?? 0, loudness.range, loudness.truePeak].every(Number.isFinite))
    // audio in floating point may contain infinite samples
    return failedColumns('Some of its samples are not numbers.');
  return {
    ...(loudness && {
      loudnessVersion: STEPS.loudness,
      sampleRateHz,
      frames,
      leadingSilence: loudness.leadingSilence,
      trailingSilence: loudness.trailingSilence,
      loudnessLufs: loudness.integrated === null ? null : round(loudness.integrated, 2),
      loudnessRangeLu: round(loudness.range, 2),
      truePeak: round(loudness.truePeak, 6),
      loudnessBlocks: packHistograms([loudness.blocks, loudness.shortTerm]),
    }),
    ...(waveform && { waveformVersion: STEPS.waveform, waveform }),
    ...(rhythm && {
      rhythmVersion: STEPS.rhythm,
      bpm: rhythm.tempo ? round(rhythm.tempo.bpm, 2) : null,
      bpmConfidence: rhythm.tempo ? round(rhythm.tempo.confidence, 3) : null,
      beats: rhythm.tempo ? packBeats(rhythm.tempo.times) : null,
      barBeats: rhythm.tempo?.bar?.beats ?? null,
      firstDownbeat: rhythm.tempo?.bar?.firstDownbeat ?? null,
      musicalKey: rhythm.key?.name ?? null,
      keyConfidence: rhythm.key ? round(rhythm.key.confidence, 3) : null,
      energy: rhythm.energy,
    }),
    ...(character && {
      characterVersion: STEPS.character,
      character: character.value ? packCharacter(character.value) : null,
    }),
  };
}

/**
 * Returns the columns for audio that cannot be decoded: all steps count as done until `retryAt`, or until a step gets a
 * new version.
 */
export const failedColumns = (failure: string, retryAt: number | null = null): Columns => ({
  failure,
  retryAt,
  ...Object.fromEntries(Object.entries(STEPS).map(([step, version]) => [`${step}Version`, version])),
});

export const measuredOf = (row: AnalysisRow): Measured => ({
  gainDb: row.loudnessLufs === null ? null : round(gainFor(row.loudnessLufs), 2),
  peak: row.truePeak,
  bpm: row.bpm !== null && (row.bpmConfidence ?? 0) >= MIN_TEMPO_CONFIDENCE ? round(row.bpm, 1) : null,
  key: row.musicalKey !== null && (row.keyConfidence ?? 0) >= MIN_KEY_CONFIDENCE ? row.musicalKey : null,
  energy: row.energy,
});
