// The cover of an album on its page: a click enlarges it, and a picture dropped on it takes its place.
import { Modal } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type DragEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlbumOut } from '../../../server/library/wire.ts';
import { findCover, pictureOf, removeCover, setCover } from '../../api/covers.ts';
import { albumQuery, LIBRARY } from '../../api/library.ts';
import { detailOf } from '../../api/problem.ts';
import { albumCover } from '../../api/urls.ts';
import { edit } from '../../music/editing.ts';
import { Button } from '../../ui/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { IconCover, IconDelete, IconSearch } from '../../ui/icons.ts';
import { useUndoNotice } from '../../ui/undo-notice.tsx';
import styles from './album-cover.module.css';

function useCoverChange(albumId: number) {
  const { t } = useTranslation();
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
    find: () =>
      void change(async () => {
        const { found, reason } = await findCover(albumId);
        if (!found) tell(reason ?? t('cover.notFound'));
      }),
  };
}

/** Takes a picture that is dropped on the element. */
function pictureDrop(onPicture: (picture: File | undefined) => void) {
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
  return (
    <button
      type="button"
      className={styles.open}
      aria-haspopup="dialog"
      aria-label={t('cover.label', { title: album.title })}
      onClick={() => edit({ kind: 'cover', album })}
      {...pictureDrop(set)}
    >
      <Cover src={albumCover(album, 600)} alt="" eager />
    </button>
  );
}

export function CoverDialog({ album: given }: { album: AlbumOut }) {
  const { t } = useTranslation();
  const { data: album = given } = useQuery(albumQuery(given.id));
  const { isBusy, set, remove, find } = useCoverChange(given.id);
  return (
    <Modal
      opened
      onClose={() => edit(null)}
      title={album.title}
      size={720}
      closeButtonProps={{ 'aria-label': t('cover.close') }}
    >
      <div className={styles.dialog}>
        <div className={styles.large} {...pictureDrop(set)}>
          <Cover src={albumCover(album, 1200)} alt={t('cover.label', { title: album.title })} eager />
        </div>
        <p>{t('cover.help')}</p>
        <div className={styles.actions} aria-busy={isBusy}>
          <label className={styles.choose}>
            <input
              type="file"
              accept="image/*"
              className="visually-hidden"
              disabled={isBusy}
              onChange={(event) => set(pictureOf(event.currentTarget.files ?? undefined))}
            />
            <IconCover size={18} aria-hidden />
            {t('cover.choose')}
          </label>
          <Button icon={IconSearch} disabled={isBusy} onClick={find}>
            {t('cover.find')}
          </Button>
          <Button icon={IconDelete} disabled={isBusy || !album.has_cover} onClick={remove}>
            {t('cover.remove')}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
