// Stores the distribution of energy over the available tracks. Moods are ranks in this distribution: with fixed limits
// nearly all recorded music would have the same energy, and some moods would be empty.
import type { Sqlite } from '../../db/client.ts';
import { fineEnergySql } from './moods.ts';

const STEPS_PER_UNIT = 100;

/** The number of tracks per hundredth of energy, the lowest energy first. */
export type EnergyCounts = { step: number; tracks: number }[];

/** Counts tracks by energy. This reads all tracks, so it runs in a thread. */
export const countEnergies = (client: Sqlite): EnergyCounts =>
  client
    .prepare<[], EnergyCounts[number]>(
      `SELECT CAST(${fineEnergySql('t')} * ${STEPS_PER_UNIT} AS INTEGER) AS step, count(*) AS tracks FROM tracks t
        WHERE energy IS NOT NULL AND availability = 'available' GROUP BY step ORDER BY step`,
    )
    .all();

/** Returns the energies that 1 to 99 percent of the tracks are below, as nearly as tracks of equal energy allow. */
export function energiesByPercent(counts: EnergyCounts): number[] {
  const total = counts.reduce((sum, { tracks }) => sum + tracks, 0);
  if (total === 0) return [];
  let [index, tracksBelow] = [0, 0];
  return Array.from({ length: 99 }, (_, i) => {
    const targetTracks = ((i + 1) * total) / 100;
    for (let bucket = counts[index]; bucket && tracksBelow + bucket.tracks / 2 < targetTracks; bucket = counts[index]) {
      tracksBelow += bucket.tracks;
      index++;
    }
    return (counts[index]?.step ?? (counts.at(-1)?.step ?? 0) + 1) / STEPS_PER_UNIT;
  });
}

export function createEnergyRanks(client: Sqlite) {
  const list = client.prepare<[], number>('SELECT energy FROM energy_ranks ORDER BY percent').pluck();
  const clear = client.prepare('DELETE FROM energy_ranks');
  const insert = client.prepare<[number, number]>('INSERT INTO energy_ranks (percent, energy) VALUES (?, ?)');
  return {
    /** Stores the ranks; returns true when they differ from the stored ones. */
    store: client.transaction((counts: EnergyCounts): boolean => {
      const energies = energiesByPercent(counts);
      if (JSON.stringify(energies) === JSON.stringify(list.all())) return false;
      clear.run();
      energies.forEach((energy, i) => insert.run(i + 1, energy));
      return true;
    }).immediate,
  };
}
