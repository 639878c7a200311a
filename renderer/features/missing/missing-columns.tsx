import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { IconDelete, IconUndo } from '../../ui/theme/icons.ts';
import type { TrackOut } from '../../api/routes.ts';
import { replacementsQuery } from '../../api/missing.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { notAStop } from '../../ui/lists/checked-table.tsx';
import { classNames } from '../../ui/class-names.ts';
import { RowLink } from '../../ui/lists/row-link.tsx';
import rows from '../../ui/lists/rows.module.css';
import type { Column } from '../../ui/lists/virtual-table.tsx';
import { fileLocation } from './file-location.ts';
import tableStyles from '../../ui/lists/checked-table.module.css';
import styles from './missing.module.css';

interface MissingActions {
  t: TFunction;
  /** Returns whether the track was removed and its removal can still be undone. */
  isLeaving: (id: number) => boolean;
  onFind: (track: TrackOut) => void;
  onRemove: (track: TrackOut) => void;
  onUndo: (track: TrackOut) => void;
}

export function missingColumns({ t, isLeaving, onFind, onRemove, onUndo }: MissingActions): Column<TrackOut>[] {
  return [
    {
      id: 'title',
      label: t('sort.title'),
      width: 'minmax(0, 3fr)',
      sortable: true,
      cell: (track) => (
        <div className={classNames(tableStyles.lines, styles.name)} data-leaving={isLeaving(track.id) || undefined}>
          <span className={classNames(rows.title, styles.title)}>{track.title}</span>
          <span className={classNames(rows.line, tableStyles.narrow)}>
            {track.artist_name ?? t('library.unknownArtist')}
          </span>
          <div className={tableStyles.narrow}>
            <ProposalCell track={track} isLeaving={isLeaving(track.id)} />
          </div>
        </div>
      ),
    },
    {
      id: 'artist',
      label: t('sort.artist'),
      width: 'minmax(0, 2fr)',
      sortable: true,
      wideOnly: true,
      cell: (track) =>
        track.artist_id === null ? (
          track.artist_name
        ) : (
          <RowLink href={`/artists/${track.artist_id}`} {...notAStop} className={styles.quiet}>
            {track.artist_name}
          </RowLink>
        ),
    },
    {
      id: 'album',
      label: t('sort.album'),
      width: 'minmax(0, 2fr)',
      sortable: true,
      wideOnly: true,
      cell: (track) =>
        track.album_title === null ? null : (
          <RowLink href={`/albums/${track.album_id}`} {...notAStop} className={styles.quiet}>
            {track.album_title}
          </RowLink>
        ),
    },
    {
      id: 'place',
      label: t('missing.place'),
      width: 'minmax(0, 3fr)',
      wideOnly: true,
      cell: (track) => <PlaceCell track={track} inStorage={t('missing.inStorage')} />,
    },
    {
      id: 'proposal',
      label: t('missing.proposal'),
      width: 'minmax(0, 3fr)',
      wideOnly: true,
      cell: (track) => <ProposalCell track={track} isLeaving={isLeaving(track.id)} />,
    },
    {
      id: 'actions',
      label: '',
      hiddenLabel: t('table.actions'),
      width: '116px',
      align: 'end',
      cell: (track) => (
        <span className={tableStyles.actions}>
          {isLeaving(track.id) ? (
            <Button variant="plain" icon={IconUndo} {...notAStop} onClick={() => onUndo(track)}>
              {t('missing.undo')}
            </Button>
          ) : (
            <>
              <Button
                {...notAStop}
                aria-label={t('missing.findLabel', { title: track.title })}
                onClick={() => onFind(track)}
              >
                {t('missing.find')}
              </Button>
              <IconButton
                {...notAStop}
                label={t('missing.removeLabel', { title: track.title })}
                icon={IconDelete}
                iconSize={18}
                onClick={() => onRemove(track)}
              />
            </>
          )}
        </span>
      ),
    },
  ];
}

/** The most likely replacement of the track, and the reason. */
function ProposalCell({ track, isLeaving }: { track: TrackOut; isLeaving: boolean }) {
  const { t } = useTranslation();
  const [bestReplacement] = useQuery({ ...replacementsQuery(track.id), enabled: !isLeaving }).data ?? [];
  if (!bestReplacement) return null;
  const place = fileLocation(bestReplacement.track);
  return (
    <div className={tableStyles.lines} title={place ? place.folder + place.name : bestReplacement.track.title}>
      <span className={rows.line}>{place?.name ?? bestReplacement.track.title}</span>
      <span className={classNames(rows.line, styles.folder)} data-certain={bestReplacement.is_certain || undefined}>
        {t(`missing.why.${bestReplacement.why}`)}
      </span>
    </div>
  );
}

function PlaceCell({ track, inStorage }: { track: TrackOut; inStorage: string }) {
  const place = fileLocation(track);
  if (!place) return <span className={styles.quiet}>{inStorage}</span>;
  return (
    <div className={tableStyles.lines} title={place.folder + place.name}>
      <span className={rows.line}>{place.name}</span>
      <span className={classNames(rows.line, styles.folder)}>{place.folder}</span>
    </div>
  );
}
