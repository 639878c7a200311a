// Moods are ranks in the energies of the library, so that no mood is empty and none contains nearly everything.
import { describe, expect, test } from 'vitest';
import { countEnergies, createEnergyRanks, energiesByPercent } from '../../../server/library/lists/energy-ranks.ts';
import { MOODS, moodSql, wholeEnergiesSql } from '../../../server/library/lists/moods.ts';
import { addSoundLibrary } from '../../support/sound-library.ts';
import { openTempDatabase } from '../../support/temp-database.ts';
import { seededRandom } from '../../support/test-random.ts';

/** Energies like those of recorded music, of which three quarters have 6 or 7. */
const TYPICAL_ENERGIES = [3, 4, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 8, 8];

test.each([50, 2_000])('each mood holds 8 to 30 percent of %i tracks of nearly equal energy', (size) => {
  const { db, close } = openTempDatabase();
  addSoundLibrary(db, { genres: ['Game'], artists: 1, albums: size / 50, tracks: 50 });
  const random = seededRandom(5);
  const updateEnergy = db.$client.prepare(
    'UPDATE tracks SET energy = ?, measured_gain_db = ?, bpm = NULL, initial_key = ? WHERE id = ?',
  );
  for (let id = 1; id <= size; id++)
    updateEnergy.run(
      TYPICAL_ENERGIES[Math.floor(random() * TYPICAL_ENERGIES.length)],
      8 - 20 * random(),
      id % 2 ? 'Am' : 'C',
      id,
    );
  const ranks = createEnergyRanks(db.$client);
  expect([ranks.store(countEnergies(db.$client)), ranks.store(countEnergies(db.$client))]).toEqual([true, false]);
  for (const mood of MOODS) {
    const { n, lowest, highest } = db.$client
      .prepare(
        `SELECT count(*) AS n, min(energy) AS lowest, max(energy) AS highest FROM tracks t WHERE ${moodSql(mood, 't')}`,
      )
      .get() as { n: number; lowest: number; highest: number };
    expect(n / size, mood).toBeGreaterThanOrEqual(0.08);
    expect(n / size, mood).toBeLessThanOrEqual(0.3);
    const energyRange = db.$client.prepare(wholeEnergiesSql(mood)).get() as { lowest: number; highest: number };
    expect(energyRange.lowest, mood).toBeLessThanOrEqual(lowest);
    expect(energyRange.highest, mood).toBeGreaterThanOrEqual(highest);
  }
  close();
});

describe('the energy below which a share of the tracks lies', () => {
  test('is nearest to the wanted share where tracks have the same energy', () => {
    const energies = energiesByPercent([
      { step: 300, tracks: 30 },
      { step: 650, tracks: 60 },
      { step: 900, tracks: 10 },
    ]);
    expect([1, 14, 16, 59, 61, 94, 96].map((percent) => energies[percent - 1])).toEqual([3, 3, 6.5, 6.5, 9, 9, 9.01]);
  });

  test('is absent without tracks', () => expect(energiesByPercent([])).toEqual([]));
});
