// Steers the current radio: more like a track, less like it, or never again; each command can be undone.
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { neverQuery, setNever } from '../api/likeness.ts';
import { detailOf } from '../api/problem.ts';
import { currentEntry, type QueueTrack, type Steering } from '../player/player.ts';
import type { Steer } from './items.ts';
import { steeringOf, noteSteering } from './steering-memory.ts';
import { usePlayerCommands } from '../player/use-player.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';
import '../i18n/page-texts.ts';

type Never = 'tracks' | 'artists';

/** Returns a function that excludes a track or an artist from radios and mixes, or allows it again. */
export function useNever(): (kind: Never, item: { id: number; name: string }, never?: boolean) => Promise<boolean> {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { tell, done } = useUndoNotice();
  const sendNever = async (kind: Never, id: number, isExcluded: boolean): Promise<boolean> => {
    try {
      await setNever(kind, id, isExcluded);
      await queries.invalidateQueries({ queryKey: neverQuery().queryKey });
      return true;
    } catch (error) {
      tell(detailOf(error));
      return false;
    }
  };
  return async (kind, { id, name }, isExcluded = true) => {
    const isSaved = await sendNever(kind, id, isExcluded);
    if (isSaved)
      done(t(isExcluded ? 'radio.neverDone' : 'radio.allowed', { name }), () => void sendNever(kind, id, !isExcluded));
    return isSaved;
  };
}

export function useSteering(): Steer & { reset: () => void } {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const { done } = useUndoNotice();
  const setNow = useNever();
  const isCurrent = ({ id }: QueueTrack) => currentEntry(player.getState())?.track.id === id;
  const steer = (steering: Steering, skip?: boolean): void => {
    const { radio } = player.getState();
    if (radio) noteSteering(radio.seed, steering);
    player.steer(steering, skip);
  };
  const forget = (id: number) => () => steer({ forget: id });
  return {
    more(track) {
      steer({ more: track.id });
      done(t('radio.moreDone', { title: track.title }), forget(track.id));
    },
    less(track) {
      steer({ less: track.id }, isCurrent(track));
      done(t('radio.lessDone', { title: track.title }), forget(track.id));
    },
    reset() {
      const { radio } = player.getState();
      if (!radio) return;
      const { more, less } = steeringOf(radio.seed);
      for (const id of [...more, ...less]) steer({ forget: id });
      done(t('radio.resetDone'), () => {
        for (const id of more) steer({ more: id });
        for (const id of less) steer({ less: id });
      });
    },
    async never(track) {
      if (await setNow('tracks', { id: track.id, name: track.title })) player.steer({}, isCurrent(track));
    },
    async neverArtist({ id, artist_id, artist_name, ...track }) {
      if (artist_id === null) return;
      if (await setNow('artists', { id: artist_id, name: artist_name ?? '' }))
        player.steer({}, isCurrent({ ...track, id, artist_id, artist_name }));
    },
  };
}
