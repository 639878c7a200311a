// Restores a backup. The current library stays unchanged until the server restarts.
import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useForgetRestore, useRestore } from '../../../api/backups.ts';
import type { BackupsOut, SnapshotOut } from '../../../api/routes.ts';
import { detailOf } from '../../../api/problem.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { formatDate, formatNumber } from '../../../ui/format.ts';
import { ArrivalNote } from './arrival.tsx';
import { RestartButton } from '../restart.tsx';
import styles from '../settings.module.css';

export function RestoreDialog({ snapshot, onClose }: { snapshot: SnapshotOut | null; onClose: () => void }) {
  const { t } = useTranslation();
  const restore = useRestore();
  const close = () => {
    restore.reset();
    onClose();
  };
  return (
    <Modal
      opened={snapshot !== null}
      onClose={close}
      title={t('settings.backup.restoreTitle')}
      closeButtonProps={{ 'aria-label': t('settings.backup.cancel') }}
    >
      {snapshot && (
        <div className={styles.dialog}>
          <p>
            {t('settings.backup.restoreText', {
              date: formatDate(snapshot.created_at),
              count: snapshot.tracks,
              tracks: formatNumber(snapshot.tracks),
            })}
          </p>
          <p className={styles.help}>
            {t(snapshot.has_keys ? 'settings.backup.restoreKeys' : 'settings.backup.restoreNoKeys')}
          </p>
          {restore.error && (
            <p role="alert" className={styles.fault}>
              {detailOf(restore.error)}
            </p>
          )}
          <div className={styles.buttons}>
            <Button
              variant="primary"
              disabled={restore.isPending}
              onClick={() => restore.mutate(snapshot.id, { onSuccess: close })}
            >
              {t('settings.backup.restore')}
            </Button>
            <Button onClick={close}>{t('settings.backup.cancel')}</Button>
          </div>
        </div>
      )}
    </Modal>
  );
}

/** The state of a restore, and a button that cancels the restore. */
export function RestoreNote({ restore }: { restore: NonNullable<BackupsOut['restore']> }) {
  const { is_ready } = restore;
  const { t } = useTranslation();
  const forget = useForgetRestore();
  return (
    <div className={styles.effect} role="status">
      <p>{t(is_ready ? 'settings.backup.ready' : 'settings.backup.fetching')}</p>
      {is_ready && <ArrivalNote restore={restore} />}
      {is_ready && <RestartButton />}
      {forget.error && (
        <p role="alert" className={styles.fault}>
          {detailOf(forget.error)}
        </p>
      )}
      {is_ready && (
        <p>
          <button type="button" className={styles.link} disabled={forget.isPending} onClick={() => forget.mutate()}>
            {t('settings.backup.forget')}
          </button>
        </p>
      )}
    </div>
  );
}
