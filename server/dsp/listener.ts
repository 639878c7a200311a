// Analyzes a track in one pass over its samples.
import { findBeats, type Beats } from './beats.ts';
import { characterize, type Character } from './character.ts';
import { energyOf } from './energy.ts';
import { findKey, type Key } from './key.ts';
import { createLoudnessMeter, type Loudness } from './loudness.ts';
import { findOnsets } from './onsets.ts';
import { createSilenceMeter } from './silence.ts';
import { createSpectrograph } from './spectrogram.ts';
import { findTempo, type Tempo } from './tempo.ts';
import { createTruePeakMeter } from './true-peak.ts';
import { createWaveformMeter } from './waveform.ts';

/** The steps with the versions of their algorithms. A higher version makes the step due again for every track. */
export const SOUND_STEPS = { loudness: 2, waveform: 1, rhythm: 3, character: 1 } as const;
export type SoundStep = keyof typeof SOUND_STEPS;

export interface SoundAnalysis {
  frames: number;
  sampleRateHz: number;
  loudness?: Loudness & { truePeak: number; samplePeak: number; leadingSilence: number; trailingSilence: number };
  waveform?: Uint8Array;
  /** The tempo is undefined if there is no beat, the key if there are no tones. */
  rhythm?: { tempo: (Tempo & Pick<Beats, 'times' | 'bar'>) | undefined; key: Key | undefined; energy: number };
  /** `is` is undefined for a track that is too short or silent. */
  character?: { value: Character | undefined };
}

export type Listener = ReturnType<typeof createListener>;

/**
 * Creates the meters for some steps. The step `rhythm` also measures the loudness, from which the energy is computed.
 */
export function createListener(sampleRateHz: number, channels: number, steps: ReadonlySet<SoundStep>) {
  const includesAny = (...soundSteps: SoundStep[]): boolean => soundSteps.some((step) => steps.has(step));
  const loudness = includesAny('loudness', 'rhythm') ? createLoudnessMeter(sampleRateHz, channels) : undefined;
  const peaks = includesAny('loudness') ? createTruePeakMeter(sampleRateHz, channels) : undefined;
  const silence = createSilenceMeter();
  const waveform = includesAny('waveform') ? createWaveformMeter() : undefined;
  const spectrograph = includesAny('rhythm', 'character') ? createSpectrograph(sampleRateHz) : undefined;

  return {
    push(data: readonly Float32Array[], frames: number): void {
      loudness?.push(data, frames);
      peaks?.push(data, frames);
      silence.push(data, frames);
      waveform?.push(data, frames);
      spectrograph?.push(data, frames);
    },

    finish(): SoundAnalysis {
      const edgeSilence = silence.finish();
      const results: SoundAnalysis = { frames: edgeSilence.frames, sampleRateHz };
      const measuredLoudness = loudness?.finish();
      if (peaks && measuredLoudness)
        results.loudness = {
          ...measuredLoudness,
          ...peaks.finish(),
          leadingSilence: edgeSilence.leading,
          trailingSilence: edgeSilence.trailing,
        };
      if (waveform) results.waveform = waveform.finish();
      const spectrogram = spectrograph?.finish();
      const onsets = spectrogram && findOnsets(spectrogram);
      if (spectrogram && onsets && measuredLoudness && includesAny('rhythm')) {
        const tempo = findTempo(onsets);
        const beats = tempo && findBeats(onsets, tempo.bpm);
        results.rhythm = {
          tempo: tempo && beats && { ...tempo, ...beats },
          key: findKey(spectrogram),
          energy: energyOf(measuredLoudness, spectrogram, onsets),
        };
      }
      if (spectrogram && onsets && includesAny('character'))
        results.character = { value: characterize(spectrogram, onsets) };
      return results;
    },
  };
}
