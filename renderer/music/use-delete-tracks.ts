import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { LIBRARY } from '../api/library.ts';
import { ApiError } from '../api/problem.ts';
import { deleteTrack } from '../api/tracks.ts';
import { formatNumber } from '../ui/format.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';
import { forEachLimit } from '../api/client.ts';

export const trackKey = (id: number): string => `track:${id}`;

/** Hides tracks at once and deletes them when the notice closes, so that they can be restored until then. */
export function useDeleteTracks(): (tracks: readonly { id: number; title: string }[]) => void {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { later } = useUndoNotice();
  return (tracks) => {
    const [firstTrack] = tracks;
    if (!firstTrack) return;
    later({
      message:
        tracks.length === 1
          ? t('track.deletedOne', { title: firstTrack.title })
          : t('track.deleted', { count: tracks.length, number: formatNumber(tracks.length) }),
      keys: tracks.map(({ id }) => trackKey(id)),
      run: () =>
        forEachLimit(tracks, ({ id }) =>
          deleteTrack(id).catch((error: unknown) => {
            if (!(error instanceof ApiError && error.status === 404)) throw error; // already deleted
          }),
        ).finally(() => queries.invalidateQueries({ queryKey: [LIBRARY] })),
    });
  };
}
