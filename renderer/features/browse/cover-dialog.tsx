// The cover of an album, large; another picture from this device, or one of those that were found, takes its place.
import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CoverCandidates } from '../../../server/covers/wire.ts';
import type { AlbumOut } from '../../../server/library/wire.ts';
import { archiveCoversQuery, nearbyCoversQuery, pictureOf } from '../../api/covers.ts';
import { albumQuery } from '../../api/library.ts';
import { detailOf } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { albumCover, candidateUrl } from '../../api/urls.ts';
import { edit } from '../../music/editing.ts';
import { Button } from '../../ui/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { IconCover, IconDelete, IconSearch } from '../../ui/icons.ts';
import { Skeleton } from '../../ui/states.tsx';
import { pictureDrop, useCoverChange } from './album-cover.tsx';
import '../../i18n/page-texts.ts';
import styles from './album-cover.module.css';

export function CoverDialog({ album: given }: { album: AlbumOut }) {
  const { t } = useTranslation();
  const { data: album = given } = useQuery(albumQuery(given.id));
  const mayEdit = useSession()?.user.can_edit === true;
  const { isBusy, set, remove, choose } = useCoverChange(given.id);
  const [isOnline, setIsOnline] = useState(false);
  const nearby = useQuery({ ...nearbyCoversQuery(album.id), enabled: mayEdit });
  const archive = useQuery({ ...archiveCoversQuery(album.id), enabled: isOnline });
  return (
    <Modal
      opened
      onClose={() => edit(null)}
      title={album.title}
      size={720}
      closeButtonProps={{ 'aria-label': t('cover.close') }}
    >
      <div className={styles.dialog}>
        <div className={styles.large} data-choosing={mayEdit || undefined} {...pictureDrop(set)}>
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
              onChange={(event) => {
                set(pictureOf(event.currentTarget.files ?? undefined));
                event.currentTarget.value = ''; // the same one may be chosen again
              }}
            />
            <IconCover size={18} aria-hidden />
            {t('cover.choose')}
          </label>
          {mayEdit && (
            <Button icon={IconSearch} disabled={isOnline} onClick={() => setIsOnline(true)}>
              {t('cover.find')}
            </Button>
          )}
          <Button icon={IconDelete} disabled={isBusy || !album.has_cover} onClick={remove}>
            {t('cover.remove')}
          </Button>
        </div>
        {mayEdit && (
          <Choices
            title={t('cover.fromFiles')}
            none={t('cover.noneInFiles')}
            {...{ album, isBusy, choose, ...nearby }}
          />
        )}
        {isOnline && (
          <Choices
            title={t('cover.fromArchive')}
            none={t('cover.notFound')}
            {...{ album, isBusy, choose, ...archive }}
          />
        )}
      </div>
    </Modal>
  );
}

interface ChoicesProps {
  album: AlbumOut;
  title: string;
  /** Said when there are none. */
  none: string;
  data: CoverCandidates | undefined;
  error: Error | null;
  isBusy: boolean;
  choose: (candidate: string) => void;
}

function Choices({ album, title, none, data, error, isBusy, choose }: ChoicesProps) {
  const { t } = useTranslation();
  if (error || data?.items.length === 0)
    return (
      <section className={styles.found}>
        <h3>{title}</h3>
        <p role="status">{error ? detailOf(error) : (data?.reason ?? none)}</p>
      </section>
    );
  return (
    <section className={styles.found}>
      <h3>{title}</h3>
      <ul aria-busy={!data}>
        {data
          ? data.items.map(({ id, origin, name, width, height, is_current }) => (
              <li key={id}>
                <button
                  type="button"
                  disabled={isBusy}
                  aria-pressed={is_current}
                  aria-label={t('cover.use', { name: name || t('cover.unnamed') })}
                  onClick={() => choose(id)}
                >
                  <Cover src={candidateUrl(album.id, id)} alt="" />
                </button>
                <span className={styles.name} title={name}>
                  {origin === 'embedded' ? t('cover.inTrack', { title: name }) : name || t('cover.unnamed')}
                </span>
                {width !== null && <span className={styles.size}>{`${width} × ${height}`}</span>}
              </li>
            ))
          : ['a', 'b', 'c'].map((key) => (
              <li key={key}>
                <Skeleton height="104px" />
              </li>
            ))}
      </ul>
    </section>
  );
}
