// The steps of the analysis. A better algorithm raises the version of its step, and only that step is done again.
import { SOUND_STEPS, type SoundStep } from '../dsp/listener.ts';

export const STEPS = { fingerprint: 1, ...SOUND_STEPS } as const;
export type Step = keyof typeof STEPS;
export const STEP_NAMES = Object.keys(STEPS) as Step[];
/**
 * Below it a tempo is not put where tags would be, and its beats are not given to players. Of the choosing half, 93 of
 * 100 such tempi are right, and 93 of 100 right ones are above it: the curve is in docs/ANALYSIS.md.
 */
export const MIN_TEMPO_CONFIDENCE = 0.6;
/** Below it a key is not put where tags would be. */
export const MIN_KEY_CONFIDENCE = 0.02;
export const isSoundStep = (step: Step): step is SoundStep => step !== 'fingerprint';
