// Random changes of music files: no user data is lost or assigned to a wrong track.
import { randomSteps, type Step } from '../support/identity-folder.ts';
import { createSimulation, type Folders } from '../support/identity-simulation.ts';

interface Failure {
  seed: number;
  mode: Folders;
  isHeard: boolean;
  steps: Step[];
  faults: string[];
}

const FOLDER_MODES: readonly Folders[] = ['copy', 'reference', 'both'];
/** Number of ways in which each sequence is played. */
const WAY_COUNT = 2 * FOLDER_MODES.length;

/**
 * Plays every sequence in each mode, with fingerprints and without. Returns the first that fails, shortened as far as
 * possible.
 */
export async function findFailure(seed: number, runs: number) {
  for (const mode of FOLDER_MODES)
    for (const isHeard of [true, false]) {
      const simulation = createSimulation(mode, { isHeard });
      try {
        for (let run = 0; run < runs / WAY_COUNT; run++) {
          const steps = randomSteps(seed + run);
          if ((await simulation.play(steps)).length > 0) {
            const shortest = await simulation.shrink(steps);
            const faults = await simulation.play(shortest);
            return { seed: seed + run, mode, isHeard, steps: shortest, faults } satisfies Failure;
          }
        }
      } finally {
        simulation.close();
      }
    }
  return undefined;
}

/** Number of seeds per run; an interrupted proof continues with the seed that was printed last. */
const BLOCK_SIZE = 100;

export async function proveIdentity({ seed, runs = 10_000 }: { seed: number; runs: number | undefined }) {
  console.log(`${runs} sequences from seed ${seed}`);
  let failureCount = 0;
  const end = seed + Math.ceil(runs / WAY_COUNT);
  for (let nextSeed = seed; nextSeed < end;) {
    const failure = await findFailure(nextSeed, WAY_COUNT * Math.min(BLOCK_SIZE, end - nextSeed));
    if (failure) console.log(JSON.stringify(failure, undefined, 1));
    if (failure) failureCount++;
    nextSeed = Math.min(nextSeed + BLOCK_SIZE, end);
    console.log(
      `${WAY_COUNT * (nextSeed - seed)} of ${runs}, next seed ${nextSeed}: ${failureCount} blocks of ${WAY_COUNT * BLOCK_SIZE} with a fault`,
    );
  }
  return failureCount === 0;
}
