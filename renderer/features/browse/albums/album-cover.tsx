// The cover of an album on its page: a click enlarges the cover, and a picture dropped on it replaces it.
import { useQueryClient } from '@tanstack/react-query';
import { useState, type DragEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { chooseCover, pictureOf, removeCover, setCover } from '../../../api/covers.ts';
import type { AlbumOut } from '../../../api/routes.ts';
import { LIBRARY } from '../../../api/library.ts';
import { detailOf } from '../../../api/problem.ts';
import { albumCover } from '../../../api/urls.ts';
import { edit } from '../../../music/editing.ts';
import { useMayEdit } from '../../../music/use-may-edit.ts';
import { Cover } from '../../../ui/cover.tsx';
import { useUndoNotice } from '../../../ui/controls/undo-notice.tsx';
import '../../../i18n/page-texts.ts';
import styles from './album-cover.module.css';

export function useCoverChange(albumId: number) {
  const queries = useQueryClient();
  const { tell } = useUndoNotice();
  const [isBusy, setIsBusy] = useState(false);
  const change = async (work: () => Promise<unknown>) => {
    setIsBusy(true);
    try {
      await work();
    } catch (error) {
      tell(detailOf(error));
    } finally {
      setIsBusy(false);
      await queries.invalidateQueries({ queryKey: [LIBRARY] });
    }
  };
  return {
    isBusy,
    set: (picture: File | undefined) => void (picture && change(() => setCover(albumId, picture))),
    remove: () => void change(() => removeCover(albumId)),
    choose: (candidate: string) => void change(() => chooseCover(albumId, candidate)),
  };
}

/** Returns handlers that accept a picture dropped on the element. */
export function pictureDrop(onPicture: (picture: File | undefined) => void) {
  return {
    onDragOver: (event: DragEvent<HTMLElement>) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      event.currentTarget.dataset['over'] = '';
    },
    onDragLeave: (event: DragEvent<HTMLElement>) => {
      delete event.currentTarget.dataset['over'];
    },
    onDrop: (event: DragEvent<HTMLElement>) => {
      delete event.currentTarget.dataset['over'];
      const picture = pictureOf(event.dataTransfer.files);
      if (!picture) return;
      event.preventDefault();
      event.stopPropagation();
      onPicture(picture);
    },
  };
}

export function AlbumCover({ album }: { album: AlbumOut }) {
  const { t } = useTranslation();
  const { set } = useCoverChange(album.id);
  const mayEdit = useMayEdit(album);
  return (
    <button
      type="button"
      className={styles.open}
      aria-haspopup="dialog"
      aria-label={t('cover.label', { title: album.title })}
      onClick={() => edit({ kind: 'cover', album })}
      {...(mayEdit && pictureDrop(set))}
    >
      <Cover src={albumCover(album, 600)} alt="" eager />
    </button>
  );
}
