import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { LIBRARY } from '../../api/library.ts';
import { deleteMissing } from '../../api/missing.ts';
import { ApiError, detailOf } from '../../api/problem.ts';
import { forEachLimit } from '../../api/client.ts';
import { formatNumber } from '../../ui/format.ts';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { bringBack, takeBack } from '../../ui/controls/undoable.ts';

interface Removable {
  id: number;
  title: string;
}

/** This key differs from the key of a deleted track: if the file comes back before the deletion, the track stays. */
export const missingKey = (id: number): string => `missing:${id}`;
export const undoRemovalOf = (id: number): void => takeBack(missingKey(id));

/** Removes tracks when the undo notice closes. */
export function useRemoveMissing(): (tracks: readonly Removable[]) => void {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { later, tell } = useUndoNotice();

  const remove = async (track: Removable): Promise<void> => {
    try {
      if (!(await deleteMissing(track.id))) bringBack([missingKey(track.id)]);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return; // already deleted
      bringBack([missingKey(track.id)]);
      tell(t('missing.notRemoved', { title: track.title, detail: detailOf(error) }));
    }
  };

  return (tracks) => {
    const [firstTrack] = tracks;
    if (!firstTrack) return;
    later({
      message:
        tracks.length === 1
          ? t('missing.removedOne', { title: firstTrack.title })
          : t('missing.removed', { count: tracks.length, number: formatNumber(tracks.length) }),
      keys: tracks.map(({ id }) => missingKey(id)),
      run: () => forEachLimit(tracks, remove).finally(() => queries.invalidateQueries({ queryKey: [LIBRARY] })),
    });
  };
}
