// What is found out from the sound of every track. A further step is one more of these: its name, a version that is
// raised when its results would be others, and what it does with a track.
import type { TrackId } from '../db/ids.ts';
import type { Hearing } from '../enrichment/hearing.ts';

/** `none`: why this audio has no result. `away`: the audio cannot be read now. */
export type StepOutcome = { outcome: 'done' } | { outcome: 'none'; reason: string } | { outcome: 'away' };

export interface AnalysisStep {
  name: string;
  version: number;
  /** Stores what it finds. Throws the reason of `signal`. */
  analyze(id: TrackId, signal: AbortSignal): Promise<StepOutcome>;
  /** Stores what was found for another track with the same audio. */
  share(from: TrackId, to: TrackId): void;
}

export const fingerprintStep = (hearing: Pick<Hearing, 'hear' | 'stored' | 'store'>): AnalysisStep => ({
  name: 'fingerprint',
  version: 1,
  async analyze(id, signal) {
    const heard = await hearing.hear(id, signal);
    if ('away' in heard) return { outcome: 'away' };
    return 'none' in heard ? { outcome: 'none', reason: heard.none } : { outcome: 'done' };
  },
  share(from, to) {
    const sound = hearing.stored(from);
    if (sound) hearing.store(to, sound);
  },
});
