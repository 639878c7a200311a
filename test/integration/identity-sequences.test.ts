// Runs a small part of `npm run prove -- identity`.
import { expect, onTestFinished, test } from 'vitest';
import { findFailure } from '../prove/identity.ts';
import { SOUNDS, type Mode, type Step } from '../support/identity-folder.ts';
import { createSimulation } from '../support/identity-simulation.ts';
import { seedOfRun } from '../support/test-random.ts';

test('random changes of the music folder lose no likes, plays or edits, and move none to a wrong track', async () => {
  expect(await findFailure(seedOfRun(), 60)).toBeUndefined();
});

type Steps = [Step['op'], Step['picks']][];
const FIRST_PICKS: Step['picks'] = [0, 0, 0];
/** Removes a track's audio, puts other music in its place, and a copy of the other music elsewhere. */
const FOREIGN_IN_PLACE: Steps = [
  ['copy', [0, 0, 6]],
  ['vanish', [2, 0, 0]],
  ['foreign', FIRST_PICKS],
  ['scan', FIRST_PICKS],
  ['copy', [0, 1, 7]],
];

/** Sequences that once failed. */
const FAILED: { what: string; mode: Mode; isHeard: boolean; steps: Steps }[] = [
  {
    what: 'former audio of one track, back at two places, of which one is that of a track with a better copy',
    mode: 'copy',
    isHeard: true,
    steps: [
      ['copy', [121, 52, 947]],
      ['foreign', [599, 531, 763]],
      ['better copy', [958, 502, 198]],
      ['vanish', [963, 689, 127]],
      ['better copy', [88, 617, 736]],
      ['scan', FIRST_PICKS],
      ['drop worse', [88, 617, 736]],
      ['return', [332, 574, 805]],
      ['vanish', [582, 876, 533]],
      ['copy', [130, 395, 530]],
    ],
  },
  {
    what: 'a converted and retagged file in the place of one that was overwritten, and nothing to hear',
    mode: 'copy',
    isHeard: false,
    steps: [
      ['overwrite', [947, 718, 412]],
      ['move', [295, 901, 194]],
      ['split', [214, 100, 545]],
      ['split', [357, 124, 311]],
      ['convert', [267, 71, 616]],
      ['swap', [62, 761, 341]],
    ],
  },
  {
    what: 'foreign music in the place of a track, copied and then gone from there',
    mode: 'copy',
    isHeard: true,
    steps: [
      ['foreign', [780, 694, 81]],
      ['scan part', [343, 935, 967]],
      ['overwrite', [308, 426, 381]],
      ['scan', [249, 123, 830]],
      ['convert', [68, 728, 181]],
    ],
  },
  {
    what: 'an older encoding of a track in the place of another one, and nothing to hear',
    mode: 'copy',
    isHeard: false,
    steps: [
      ['overwrite', [690, 399, 821]],
      ['convert', [522, 184, 309]],
      ['scan part', [543, 837, 405]],
    ],
  },
  {
    what: 'two edited tracks of one audio, one of them by its path, when the other is deleted',
    mode: 'copy',
    isHeard: false,
    steps: [
      ['foreign', FIRST_PICKS],
      ['copy', [0, 2, 1]],
      ['scan', FIRST_PICKS],
      ['delete', [4, 0, 0]],
    ],
  },
  {
    what: 'audio that comes back after its track was joined with a copy of the music in its place',
    mode: 'copy',
    isHeard: true,
    steps: [
      ...FOREIGN_IN_PLACE,
      ['scan', FIRST_PICKS],
      ['delete', FIRST_PICKS],
      ['scan', FIRST_PICKS],
      ['return', [0, 2, 6]],
    ],
  },
  {
    what: 'the same, when that copy was copied and deleted too',
    mode: 'reference',
    isHeard: false,
    steps: [
      ...FOREIGN_IN_PLACE,
      ['scan', FIRST_PICKS],
      ['delete', FIRST_PICKS],
      ['scan', FIRST_PICKS],
      ['copy', [2, 2, 7]],
      ['scan', FIRST_PICKS],
      ['delete', [2, 0, 0]],
      ['scan', FIRST_PICKS],
      ['return', [0, 2, 6]],
    ],
  },
  {
    what: 'audio that comes back to a track that was joined with a copy of the music in its place',
    mode: 'reference',
    isHeard: true,
    steps: [
      ...FOREIGN_IN_PLACE,
      ['scan', FIRST_PICKS],
      ['delete', [4, 0, 0]],
      ['scan', FIRST_PICKS],
      ['return', [0, 2, 6]],
    ],
  },
  {
    what: 'audio that comes back to an edited track that took over a copy of the music in its place',
    mode: 'copy',
    isHeard: false,
    steps: [
      ['vanish', [5, 0, 0]],
      ['foreign', [4, 0, 0]],
      ['scan', FIRST_PICKS],
      ...FOREIGN_IN_PLACE,
      ['scan', FIRST_PICKS],
      ['delete', FIRST_PICKS],
      ['scan', FIRST_PICKS],
      ['return', [0, 2, 6]],
      ['return', [0, 2, 5]],
    ],
  },
];

test.each(FAILED)('$what ($mode mode)', async ({ mode, isHeard, steps }) => {
  const simulation = createSimulation(mode, { isHeard });
  const faults = await simulation.play(steps.map(([op, picks]) => ({ op, picks })));
  simulation.close();
  expect(faults).toEqual([]);
});

test('of many files in other formats, each track is listened to once', async () => {
  const simulation = createSimulation('copy', { isHeard: true });
  onTestFinished(() => simulation.close());
  // all have nearly the same length, so that each file could be any of the others
  const steps = Array.from({ length: SOUNDS }, (_, n): Step => ({ op: 'convert', picks: [n, 0, 1] }));
  expect(await simulation.play(steps)).toEqual([]);
  expect(simulation.heard()).toHaveLength(2 * SOUNDS);
  expect(new Set(simulation.heard()).size).toBe(2 * SOUNDS);
});
