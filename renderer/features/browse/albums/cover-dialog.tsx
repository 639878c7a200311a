// The large cover of an album, and its possible replacements: a picture from this device, or one of the found
// pictures.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { archiveCoversQuery, nearbyCoversQuery } from '../../../api/covers.ts';
import type { AlbumOut, CoverCandidates } from '../../../api/routes.ts';
import { albumQuery } from '../../../api/library.ts';
import { albumCover, candidateUrl } from '../../../api/urls.ts';
import { edit } from '../../../music/editing.ts';
import { useMayEdit } from '../../../music/use-may-edit.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Cover } from '../../../ui/cover.tsx';
import { IconDelete, IconSearch } from '../../../ui/theme/icons.ts';
import { useCoverChange } from './album-cover.tsx';
import { FoundPictures, PictureChooser } from '../picture-chooser.tsx';
import '../../../i18n/page-texts.ts';

export function CoverDialog({ album: openedAlbum }: { album: AlbumOut }) {
  const { t } = useTranslation();
  const { data: album = openedAlbum } = useQuery(albumQuery(openedAlbum.id));
  const mayEdit = useMayEdit(album);
  const { isBusy, set, remove, choose } = useCoverChange(openedAlbum.id);
  const [isOnline, setIsOnline] = useState(false);
  const nearby = useQuery({ ...nearbyCoversQuery(album.id), enabled: mayEdit });
  const archive = useQuery({ ...archiveCoversQuery(album.id), enabled: isOnline });
  const chooserProps = (
    { data, error }: { data: CoverCandidates | undefined; error: Error | null },
    emptyText: string,
  ) => ({
    error,
    emptyText: data?.reason ?? emptyText,
    isBusy,
    choose,
    pictures: data?.items.map(({ id, origin, name, width, height, is_current }) => {
      const shownName = name || t('cover.unnamed');
      return {
        id,
        src: candidateUrl(album.id, id),
        label: t('cover.use', { name: shownName }),
        file: name,
        caption: origin === 'embedded' ? t('cover.inTrack', { title: name }) : shownName,
        detail: width === null ? null : `${width} × ${height}`,
        isCurrent: is_current,
      };
    }),
  });
  return (
    <PictureChooser
      title={album.title}
      help={t('cover.help')}
      picture={<Cover src={albumCover(album, 1200)} alt={t('cover.label', { title: album.title })} eager />}
      isChoosing={mayEdit}
      isBusy={isBusy}
      onFile={set}
      onClose={() => edit(null)}
      actions={
        <>
          <Button icon={IconSearch} disabled={isOnline} onClick={() => setIsOnline(true)}>
            {t('cover.find')}
          </Button>
          <Button icon={IconDelete} disabled={isBusy || !album.has_cover} onClick={remove}>
            {t('cover.remove')}
          </Button>
        </>
      }
    >
      {mayEdit && <FoundPictures title={t('cover.fromFiles')} {...chooserProps(nearby, t('cover.noneInFiles'))} />}
      {isOnline && <FoundPictures title={t('cover.fromArchive')} {...chooserProps(archive, t('cover.notFound'))} />}
    </PictureChooser>
  );
}
