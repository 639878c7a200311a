// Actions on a whole playlist, for its page and the side bar.
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { PlaylistImportOut, PlaylistOut, TrackOut } from '../api/routes.ts';
import { useCreatePlaylist, useDeletePlaylist, useImportPlaylist, useUpdatePlaylist } from '../api/playlists.ts';
import { detailOf } from '../api/problem.ts';
import { askName } from './prompts.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';

export function usePlaylistCommands() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const router = useRouter();
  const notice = useUndoNotice();
  const create = useCreatePlaylist();
  const update = useUpdatePlaylist();
  const remove = useDeletePlaylist();
  const receive = useImportPlaylist();
  const showError = (error: unknown) => notice.tell(detailOf(error));
  const open = (playlist: PlaylistOut) =>
    void navigate({ to: '/playlists/$playlistId', params: { playlistId: playlist.id } });

  return {
    async add(): Promise<void> {
      const name = await askName({ title: t('playlist.new'), submit: t('playlist.create') });
      if (name !== null) await create.mutateAsync({ name }).then(open, showError);
    },

    /** Saves these tracks as a new playlist after asking for its name. */
    async keep(value: string, tracks: readonly { id: number }[]): Promise<void> {
      const name = await askName({ title: t('queue.saveTitle'), submit: t('queue.saveSubmit'), value });
      if (name !== null)
        await create.mutateAsync({ name, track_ids: tracks.map(({ id }) => id) }).then(open, showError);
    },

    async rename({ id, name }: PlaylistOut): Promise<void> {
      const next = await askName({ title: t('playlist.renameTitle'), submit: t('playlist.save'), value: name });
      if (next !== null && next !== name) await update.mutateAsync({ id, name: next }).catch(showError);
    },

    async copy(playlist: PlaylistOut, loadTracks: () => Promise<TrackOut[]>): Promise<void> {
      const name = await askName({
        title: t('playlist.copy'),
        submit: t('playlist.create'),
        value: t('playlist.copyName', { name: playlist.name }),
      });
      if (name === null) return;
      await loadTracks()
        .then((tracks) =>
          create.mutateAsync({ name, description: playlist.description, track_ids: tracks.map(({ id }) => id) }),
        )
        .then(open, showError);
    },

    remove({ id, name }: PlaylistOut): void {
      if (router.state.location.pathname.startsWith(`/playlists/${id}`)) void navigate({ to: '/' });
      remove.mutate({ id }, { onError: showError });
      notice.done(t('playlist.deleted', { name }), () => remove.mutate({ id, back: true }, { onError: showError }));
    },

    /** Resolves to the result of the import, which names the lines without a match. */
    async receive(file: File): Promise<PlaylistImportOut | undefined> {
      try {
        const result = await receive.mutateAsync(file);
        open(result.playlist);
        return result;
      } catch (error) {
        showError(error);
        return undefined;
      }
    },
  };
}
