import { Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { IconClose, IconDone, IconProblem, IconUpload, IconWaiting, type Icon } from '../../ui/theme/icons.ts';
import { LIBRARY } from '../../api/library.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { formatBytes } from '../../ui/format.ts';
import { ProgressBar } from '../../ui/controls/progress-bar.tsx';
import styles from './import.module.css';
import { cancelUploads, clearUploads, useUploads, type Upload } from './upload-queue.ts';

const SYMBOLS: Record<Upload['status'], Icon> = {
  waiting: IconWaiting,
  sending: IconUpload,
  done: IconDone,
  failed: IconProblem,
  cancelled: IconClose,
};

/** A row for each dropped file, until dismissed. */
export function UploadPanel() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const uploads = useUploads();
  const doneCount = uploads.filter((upload) => upload.status === 'done').length;
  const open = uploads.some((upload) => upload.status === 'waiting' || upload.status === 'sending');
  useEffect(() => {
    if (doneCount > 0 && !open) void queries.invalidateQueries({ queryKey: [LIBRARY] });
  }, [queries, doneCount, open]);
  if (uploads.length === 0) return null;
  return (
    <section className={styles.panel} aria-label={t('import.title')}>
      <header className={styles.head}>
        <h2>{t('import.doneOf', { done: doneCount, total: uploads.length })}</h2>
        {open ? (
          <Button onClick={cancelUploads}>{t('import.cancel')}</Button>
        ) : (
          <IconButton label={t('import.close')} icon={IconClose} iconSize={18} onClick={clearUploads} />
        )}
      </header>
      <ul className={styles.rows}>
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({ upload }: { upload: Upload }) {
  const { t } = useTranslation();
  const Symbol = SYMBOLS[upload.status];
  const { track } = upload;
  return (
    <li className={styles.row} data-status={upload.status}>
      <Symbol size={18} aria-hidden />
      <div>
        <p className={styles.name}>
          {track?.album_id ? (
            <Link to="/albums/$albumId" params={{ albumId: track.album_id }}>
              {track.title}
            </Link>
          ) : (
            upload.name
          )}
        </p>
        {upload.status === 'sending' ? (
          <ProgressBar done={upload.progress} total={1} label={t('import.sending', { name: upload.name })} />
        ) : (
          <p className={styles.note}>
            {upload.error ??
              (upload.status === 'done' ? track?.artist_name : t(`import.status.${upload.status}`)) ??
              formatBytes(upload.size)}
          </p>
        )}
      </div>
    </li>
  );
}
