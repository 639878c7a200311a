// Adds tracks to a playlist from anywhere: asks about duplicates, reports the result and offers to undo it.
import { useTranslation } from 'react-i18next';
import { useQueryClient } from '@tanstack/react-query';
import {
  containedIn,
  MAX_ADDED_TRACKS,
  playlistQuery,
  useAddTracks,
  useCreatePlaylist,
  usePutBack,
} from '../api/playlists.ts';
import type { PlaylistOut } from '../api/routes.ts';
import { detailOf } from '../api/problem.ts';
import { formatNumber } from '../ui/format.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';
import { askAboutDuplicates, askName } from './prompts.ts';
import type { TrackGroup } from './track-drag.ts';

type Target = Pick<PlaylistOut, 'id' | 'name'>;

export function useAddToPlaylist() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const notice = useUndoNotice();
  const add = useAddTracks();
  const create = useCreatePlaylist();
  const putBack = usePutBack();
  const words = (count: number) => ({ count, number: formatNumber(count) });

  async function addTo(playlist: Target, group: TrackGroup): Promise<void> {
    try {
      const trackIds = (await group.load()).map(({ id }) => id).slice(0, MAX_ADDED_TRACKS);
      if (trackIds.length === 0) return;
      const containedIds = new Set(await containedIn(playlist.id, trackIds));
      const choice =
        containedIds.size === 0
          ? 'all'
          : await askAboutDuplicates({
              playlist: playlist.name,
              duplicateCount: containedIds.size,
              trackCount: trackIds.length,
            });
      const addedIds = choice === 'new' ? trackIds.filter((id) => !containedIds.has(id)) : trackIds;
      if (choice === null || addedIds.length === 0) return;
      const { version } = await queries.fetchQuery({ ...playlistQuery(playlist.id), staleTime: 0 });
      await add.mutateAsync({ id: playlist.id, trackIds: addedIds });
      notice.done(t('playlist.added', { ...words(addedIds.length), name: playlist.name }), () =>
        putBack.mutate({ id: playlist.id, version }),
      );
    } catch (error) {
      notice.tell(t('playlist.notAdded', { name: playlist.name, detail: detailOf(error) }));
    }
  }

  async function addToNew(group: TrackGroup): Promise<void> {
    const name = await askName({ title: t('playlist.new'), submit: t('playlist.create') });
    if (name === null) return;
    try {
      const trackIds = (await group.load()).map(({ id }) => id).slice(0, MAX_ADDED_TRACKS);
      await create.mutateAsync({ name, track_ids: trackIds });
      notice.tell(t('playlist.added', { ...words(trackIds.length), name }));
    } catch (error) {
      notice.tell(t('playlist.notAdded', { name, detail: detailOf(error) }));
    }
  }

  return { addTo, addToNew };
}
