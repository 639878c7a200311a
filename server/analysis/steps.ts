// The steps of the analysis. A better algorithm raises the version of its step, and only that step is done again.
import { SOUND_STEPS, type SoundStep } from '../dsp/listener.ts';

export const STEPS = { fingerprint: 1, ...SOUND_STEPS } as const;
export type Step = keyof typeof STEPS;
export const STEP_NAMES = Object.keys(STEPS) as Step[];
/**
 * A tempo with a lower confidence is neither shown like a tag nor are its beats sent to players. In the pieces to which
 * the constants were fitted, 93 of 100 tempi above this value are right, and 93 of 100 right tempi are above it; the
 * curve is in docs/ANALYSIS.md.
 */
export const MIN_TEMPO_CONFIDENCE = 0.6;
/** A key with a lower confidence is not shown like a tag. */
export const MIN_KEY_CONFIDENCE = 0.02;
export const isSoundStep = (step: Step): step is SoundStep => step !== 'fingerprint';
