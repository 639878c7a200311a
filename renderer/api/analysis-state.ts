import type { AnalysisOut } from './routes.ts';

/** What to say of the analysis: where nothing is left, it waits for nobody. */
export const stateOf = ({ state, seconds_left }: Pick<AnalysisOut, 'state' | 'seconds_left'>): AnalysisOut['state'] =>
  state === 'busy' && seconds_left === 0 ? 'done' : state;
