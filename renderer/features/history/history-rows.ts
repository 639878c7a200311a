// The history as rows: a heading for each day, and its plays. Pure.
import { dayOf } from '../../ui/day-range.ts';
import type { HistoryOut } from '../../api/routes.ts';

export type HistoryRow =
  | { kind: 'day'; key: string; day: string; plays: number }
  | { kind: 'play'; key: string; play: HistoryOut };

/**
 * Returns the rows for plays that arrive newest first. `isAway` filters out plays; days without remaining plays are
 * omitted.
 */
export function historyRows(
  plays: readonly HistoryOut[],
  isAway: (play: HistoryOut) => boolean = () => false,
): HistoryRow[] {
  const rows: HistoryRow[] = [];
  const playIds = new Set<number>(); // pages shift when a play is added between two requests
  let heading: Extract<HistoryRow, { kind: 'day' }> | undefined;
  for (const play of plays) {
    if (playIds.has(play.id) || isAway(play)) continue;
    playIds.add(play.id);
    const day = dayOf(new Date(play.played_at));
    if (heading?.day !== day) {
      heading = { kind: 'day', key: day, day, plays: 0 };
      rows.push(heading);
    }
    heading.plays += 1;
    rows.push({ kind: 'play', key: String(play.id), play });
  }
  return rows;
}
