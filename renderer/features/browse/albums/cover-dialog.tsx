// The large cover of an album, and its possible replacements: a picture from this device, or one of the found
// pictures.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { archiveCoversQuery, nearbyCoversQuery } from '../../../api/covers.ts';
import type { AlbumOut, CoverCandidates } from '../../../api/routes.ts';
import { albumQuery } from '../../../api/library.ts';
import { useSession } from '../../../api/session.ts';
import { albumCover, candidateUrl } from '../../../api/urls.ts';
import { edit } from '../../../music/editing.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Cover } from '../../../ui/cover.tsx';
import { IconDelete, IconSearch } from '../../../ui/theme/icons.ts';
import { useCoverChange } from './album-cover.tsx';
import { FoundPictures, PictureChooser } from '../picture-chooser.tsx';
import '../../../i18n/page-texts.ts';

export function CoverDialog({ album: given }: { album: AlbumOut }) {
  const { t } = useTranslation();
  const { data: album = given } = useQuery(albumQuery(given.id));
  const mayEdit = useSession()?.user.can_edit === true;
  const { isBusy, set, remove, choose } = useCoverChange(given.id);
  const [isOnline, setIsOnline] = useState(false);
  const nearby = useQuery({ ...nearbyCoversQuery(album.id), enabled: mayEdit });
  const archive = useQuery({ ...archiveCoversQuery(album.id), enabled: isOnline });
  const found = ({ data, error }: { data: CoverCandidates | undefined; error: Error | null }, none: string) => ({
    error,
    none: data?.reason ?? none,
    isBusy,
    choose,
    pictures: data?.items.map(({ id, origin, name, width, height, is_current }) => {
      const named = name || t('cover.unnamed');
      return {
        id,
        src: candidateUrl(album.id, id),
        label: t('cover.use', { name: named }),
        file: name,
        caption: origin === 'embedded' ? t('cover.inTrack', { title: name }) : named,
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
          {mayEdit && (
            <Button icon={IconSearch} disabled={isOnline} onClick={() => setIsOnline(true)}>
              {t('cover.find')}
            </Button>
          )}
          <Button icon={IconDelete} disabled={isBusy || !album.has_cover} onClick={remove}>
            {t('cover.remove')}
          </Button>
        </>
      }
    >
      {mayEdit && <FoundPictures title={t('cover.fromFiles')} {...found(nearby, t('cover.noneInFiles'))} />}
      {isOnline && <FoundPictures title={t('cover.fromArchive')} {...found(archive, t('cover.notFound'))} />}
    </PictureChooser>
  );
}
