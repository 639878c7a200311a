import { notifications } from '@mantine/notifications';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import { removeTracks, undoRemoval, type Removable } from './removals.ts';
import styles from './missing.module.css';

/** Removes tracks and says so, with the way back beside it. */
export function useRemove(): (tracks: readonly Removable[]) => void {
  const { t } = useTranslation();
  const closeButtonProps = { 'aria-label': t('notice.close') };
  const onFailure = ({ title }: Removable, detail: string) => void notifications.show({ message: t('missing.notRemoved', { title, detail }), closeButtonProps });
  return (tracks) => {
    if (tracks.length === 0) return;
    const [first] = tracks;
    const key = removeTracks(tracks, { onFailure, onEnd: () => notifications.hide(id) });
    const id = `removal-${key}`;
    notifications.show({
      id,
      message: (
        <span className={styles.notice}>
          <span>{tracks.length === 1 ? t('missing.removedOne', { title: first?.title }) : t('missing.removed', { count: tracks.length, number: formatNumber(tracks.length) })}</span>
          <button type="button" className={styles.undo} onClick={() => undoRemoval(key)}>{t('missing.undo')}</button>
        </span>
      ),
      autoClose: false,
      withCloseButton: false,
    });
  };
}
