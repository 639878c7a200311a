// Crossfades, loaded when they are switched on: where they begin, their curves, and the analyses of the tracks.
import { FADE_IN, FADE_OUT } from './gain.ts';
import type { TrackAnalysisOut } from '../api/routes.ts';
import type { QueueTrack } from './player.ts';
import { stretched } from './stretch.ts';
import { isOneRun, transition, type SoundFacts, type Transition } from './crossfade-plan.ts';
import type { VoiceItem } from './voice.ts';

/** Analyses beyond this number are dropped and fetched again when they are needed. */
const MAX_CACHED_ANALYSES = 20;

export type FetchAnalysis = (trackId: number) => Promise<TrackAnalysisOut>;

interface Side {
  item: VoiceItem;
  durationMs: number;
}

/** Plans crossfades. `between` returns undefined until the analyses arrive, null for tracks joined without a gap. */
export class Fades {
  readonly #fetch: FetchAnalysis;
  readonly #soundFacts = new Map<number, SoundFacts | null | undefined>();

  constructor(fetch: FetchAnalysis) {
    this.#fetch = fetch;
  }

  between(
    { leaving, coming }: { leaving: Side; coming: Side },
    { fadeMs, shuffled, isUrgent }: { fadeMs: number; shuffled: boolean; isUrgent: boolean },
  ): Transition | null | undefined {
    if (isOneRun(leaving.item.track, coming.item.track, shuffled)) return null;
    const facts = [leaving, coming].map(({ item }) => this.#factsOf(item.track));
    if (!isUrgent && facts.includes(undefined)) return undefined;
    const [leavingFacts, comingFacts] = facts.map((soundFacts) => soundFacts ?? null);
    const plannedTransition = transition(
      { durationMs: leaving.durationMs, facts: leavingFacts ?? null },
      { durationMs: coming.durationMs, facts: comingFacts ?? null },
      fadeMs,
    );
    return plannedTransition.fadeMs > 0 ? plannedTransition : null;
  }

  stretched = stretched;
  curves = fadeCurves;

  #factsOf({ id }: QueueTrack): SoundFacts | null | undefined {
    if (this.#soundFacts.has(id)) return this.#soundFacts.get(id);
    if (this.#soundFacts.size >= MAX_CACHED_ANALYSES) this.#soundFacts.clear();
    this.#soundFacts.set(id, undefined);
    // if the analysis cannot be fetched, tracks are faded without it
    this.#fetch(id).then(
      (analysis) => this.#soundFacts.set(id, factsOf(analysis)),
      () => this.#soundFacts.set(id, null),
    );
    return undefined;
  }
}

function factsOf({ loudness, rhythm }: TrackAnalysisOut): SoundFacts | null {
  if (!loudness || loudness.integrated_lufs === null) return null;
  const { leading_silence_ms: leadingSilenceMs, trailing_silence_ms: trailingSilenceMs } = loudness;
  const hasBar = rhythm !== null && rhythm.bar_beats !== null && rhythm.first_downbeat !== null;
  return {
    leadingSilenceMs,
    trailingSilenceMs,
    beatsMs: rhythm?.beats_ms ?? [], // empty if the tempo is uncertain
    bar: hasBar ? { beats: rhythm.bar_beats!, first: rhythm.first_downbeat! } : null,
  };
}

interface Sound {
  /** The decoded samples of the fade; they can end before it. */
  samples: readonly Float32Array[];
  /** Length of the whole fade. */
  frames: number;
  /** Linear gain. */
  level: number;
}

/**
 * Returns the two gain curves of a fade: equal power, and lower where the sum of both sounds would exceed full scale.
 */
export function fadeCurves(leaving: Sound, coming: Sound): { out: Float32Array; in: Float32Array } {
  const points = FADE_OUT.length;
  const peaks = [leaving, coming].map((sound) => peaksOf(sound, points)) as [number[], number[]];
  const allowedGains = Array.from({ length: points }, (_, k) => {
    const [leavingPeak, comingPeak] = [peaks[0][k]!, peaks[1][k]!];
    // a sound that exceeds full scale by itself did so before the fade
    const ceiling = Math.max(1, k === 0 ? leavingPeak : 0, k === points - 1 ? comingPeak : 0);
    return Math.min(1, ceiling / Math.max(1e-6, leavingPeak * FADE_OUT[k]! + comingPeak * FADE_IN[k]!));
  });
  const neighboursOf = (values: readonly number[], k: number): number[] => values.slice(Math.max(0, k - 1), k + 2);
  const lowest = allowedGains.map((_, k) => Math.min(...neighboursOf(allowedGains, k)));
  const scale = lowest.map((_, k) => {
    const around = neighboursOf(lowest, k);
    return k === 0 || k === points - 1 ? 1 : around.reduce((sum, value) => sum + value, 0) / around.length;
  });
  return { out: FADE_OUT.map((value, k) => value * scale[k]!), in: FADE_IN.map((value, k) => value * scale[k]!) };
}

/** Returns the highest sample around each point of a curve; full scale where samples are not decoded yet. */
function peaksOf({ samples, frames, level }: Sound, points: number): number[] {
  const step = frames / (points - 1);
  return Array.from({ length: points }, (_, k) => {
    const end = Math.min(frames, Math.ceil((k + 1) * step));
    let peak = 0;
    for (const channel of samples) {
      if (channel.length < end - 1) peak = 1;
      for (let i = Math.max(0, Math.floor((k - 1) * step)); i < Math.min(end, channel.length); i += 1) {
        const sample = Math.abs(channel[i]!);
        if (sample > peak) peak = sample;
      }
    }
    return peak * level;
  });
}
