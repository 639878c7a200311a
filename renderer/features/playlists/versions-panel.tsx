import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { IconClose } from '../../ui/theme/icons.ts';
import type { PlaylistOut, PlaylistVersionOut } from '../../api/routes.ts';
import { versionsQuery } from '../../api/playlists.ts';
import { detailOf } from '../../api/problem.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { formatAgo, formatDate, formatNumber } from '../../ui/format.ts';
import { moveAmongRows } from '../../ui/lists/row-keys.ts';
import { Skeleton } from '../../ui/states.tsx';
import styles from './playlists.module.css';

interface VersionsPanelProps {
  playlist: PlaylistOut;
  /** Undefined while the current version is shown. */
  shownVersion: number | undefined;
  onShow: (version: number | undefined) => void;
  onClose: () => void;
}

/** Every version with its date and changes; selecting one shows its tracks. */
export function VersionsPanel({ playlist, shownVersion, onShow, onClose }: VersionsPanelProps) {
  const { t } = useTranslation();
  const { data, error } = useQuery(versionsQuery(playlist.id));
  return (
    <aside className={styles.versions} aria-label={t('playlist.versions')}>
      <div className={styles.versionsHead}>
        <h2>{t('playlist.versions')}</h2>
        <IconButton label={t('playlist.closeVersions')} icon={IconClose} iconSize={18} onClick={onClose} />
      </div>
      {error && <p role="alert">{detailOf(error)}</p>}
      {!data && !error && <Skeleton height="200px" />}
      <ol onKeyDown={moveAmongRows}>
        {data?.items.map((version) => {
          const isNow = version.version === playlist.version;
          return (
            <li key={version.version}>
              <button
                type="button"
                data-stop
                aria-current={(shownVersion ?? playlist.version) === version.version || undefined}
                onClick={() => onShow(isNow ? undefined : version.version)}
              >
                <span>{whatChanged(t, version)}</span>
                <span title={formatDate(version.created_at)}>
                  {[
                    isNow && t('playlist.now'),
                    formatAgo(version.created_at),
                    t('track.count', { count: version.track_count }),
                    version.change === 'file' ? t('playlistFile.version') : version.user_name,
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </aside>
  );
}

function whatChanged(t: TFunction, { change, added, removed, moved }: PlaylistVersionOut): string {
  if (change === 'create' || change === 'import' || change === 'restore' || change === 'rules')
    return t(`version.${change}`);
  const parts = [
    added > 0 && t('version.added', { count: added, number: formatNumber(added) }),
    removed > 0 &&
      t(change === 'track_deleted' ? 'version.left' : 'version.removed', {
        count: removed,
        number: formatNumber(removed),
      }),
    moved > 0 && t('version.moved', { count: moved, number: formatNumber(moved) }),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : t('version.changed');
}
