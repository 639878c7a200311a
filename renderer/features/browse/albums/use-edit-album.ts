import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { editAlbum } from '../../../api/album-care.ts';
import { useUndoEdits } from '../../../api/edits.ts';
import { albumQuery, LIBRARY } from '../../../api/library.ts';
import { detailOf } from '../../../api/problem.ts';
import { randomId } from '../../../api/random-id.ts';
import type { AlbumOut, AlbumPatch } from '../../../api/routes.ts';
import { useUndoNotice } from '../../../ui/controls/undo-notice.tsx';
import '../../../i18n/page-texts.ts';

/** Changes an album and offers to undo this. The page of the album shows the new values at once. */
export function useEditAlbum(album: AlbumOut) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const openAlbum = useOpenAlbum();
  const { done, tell } = useUndoNotice();
  const undo = useUndoEdits();
  return useMutation({
    async mutationFn(patch: AlbumPatch) {
      const batch = randomId();
      return { edited: await editAlbum(album.id, patch, batch), batch };
    },
    async onSuccess({ edited, batch }) {
      queries.setQueryData(albumQuery(edited.id).queryKey, edited);
      if (edited.id !== album.id && isPageOf(album.id)) await openAlbum(edited.id);
      await queries.invalidateQueries({ queryKey: [LIBRARY] });
      done(t('albumEdit.changed', { title: edited.title }), () =>
        undo.mutate(batch, { onError: (error) => tell(detailOf(error)) }),
      );
    },
  });
}

/** Returns a function that opens the page of an album in place of the current page. */
export function useOpenAlbum() {
  const navigate = useNavigate();
  return (albumId: number): Promise<void> => navigate({ to: '/albums/$albumId', params: { albumId }, replace: true });
}

/** Returns whether the page of this album is open. */
export const isPageOf = (albumId: number): boolean => location.pathname.endsWith(`/albums/${albumId}`);
