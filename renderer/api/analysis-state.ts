import type { AnalysisOut } from './routes.ts';

/** Returns the displayed state of the analysis: `done` instead of `busy` when no work remains. */
export const stateOf = ({ state, seconds_left }: Pick<AnalysisOut, 'state' | 'seconds_left'>): AnalysisOut['state'] =>
  state === 'busy' && seconds_left === 0 ? 'done' : state;
