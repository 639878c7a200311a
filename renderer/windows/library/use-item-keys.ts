import { useQueryClient } from '@tanstack/react-query';
import { trackQuery } from '../../api/tracks.ts';
import { itemsAt } from '../../music/item-marks.ts';
import { trackItems, type Items } from '../../music/items.ts';
import { oneTrack } from '../../music/track-drag.ts';
import { isLikeable, useActions } from '../../music/use-actions.ts';
import { currentEntry } from '../../player/player.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import type { OpenDetails } from '../../ui/use-details.ts';

/** Keys that rate the focused items. */
const RATING_KEYS = /^[0-5]$/;
/** Keys that act on the current track when no item has the focus. */
const CURRENT_TRACK_KEYS = new Set(['e', 'l']);

/** Returns the action of a key on the focused items or the current track. */
export function useItemKeys(openDetails: OpenDetails): (key: string) => (() => void) | undefined {
  const queries = useQueryClient();
  const player = usePlayerCommands();
  const { actionOfKey, run, rate } = useActions(openDetails);
  const act = (key: string, items: Items) => {
    if (RATING_KEYS.test(key) && isLikeable(items)) return () => void rate(items, Number(key));
    const name = actionOfKey(key, items);
    return name && (() => void run(name, items));
  };
  return (key) => {
    const items = itemsAt(document.activeElement);
    if (items) return act(key, items);
    // the focused row is still loading, and the key was meant for it
    if (document.activeElement?.closest('[data-items] [data-index]')) return undefined;
    const current = currentEntry(player.getState())?.track.id;
    if (current === undefined || !CURRENT_TRACK_KEYS.has(key)) return undefined;
    return () =>
      void queries.ensureQueryData(trackQuery(current)).then((track) => act(key, trackItems(oneTrack(track)))?.());
  };
}
