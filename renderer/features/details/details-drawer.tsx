// All details of one track, in a drawer beside the page. The track is in the URL, so that the drawer opens from
// anywhere and survives a reload.
import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { trackQuery } from '../../api/tracks.ts';
import { detailOf, isAbsent } from '../../api/problem.ts';
import { IconNotFound } from '../../ui/theme/icons.ts';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { TrackDetails } from './track-details.tsx';
import '../../i18n/page-texts.ts';
import styles from './details.module.css';
import { dialogAttributes } from '../../ui/theme/theme.ts';

interface DetailsDrawerProps {
  trackId: number;
  editing: boolean;
  onEdit: (editing: boolean) => void;
  onClose: () => void;
}

export function DetailsDrawer({ trackId, ...rest }: DetailsDrawerProps) {
  const { t } = useTranslation();
  return (
    <Drawer
      opened
      onClose={rest.onClose}
      position="right"
      size={460}
      title={t('details.title')}
      // the label is present from the first frame on
      attributes={{ ...dialogAttributes, content: { 'aria-label': t('details.title') } }}
      closeButtonProps={{ 'aria-label': t('details.close') }}
    >
      <Loaded key={trackId} trackId={trackId} {...rest} />
    </Drawer>
  );
}

function Loaded({ trackId, ...rest }: DetailsDrawerProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(trackQuery(trackId));
  if (isAbsent(error))
    return (
      <EmptyState icon={IconNotFound} title={t('absent.track')}>
        {t('absent.text')}
      </EmptyState>
    );
  if (error && !data) return <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />;
  if (data) return <TrackDetails track={data} {...rest} />;
  return (
    <div className={styles.held}>
      <Skeleton height="96px" />
      <Skeleton height="240px" />
      <Skeleton height="120px" />
    </div>
  );
}
