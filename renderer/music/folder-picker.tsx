// Chooses a folder of the server by walking its disk: the browser may be on another computer.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type Dispatch, type SetStateAction } from 'react';
import { useTranslation } from 'react-i18next';
import { serverFolderQuery } from '../api/music-folders.ts';
import type { ServerFolderOut } from '../api/routes.ts';
import { ApiError, detailOf } from '../api/problem.ts';
import { Button } from '../ui/controls/button.tsx';
import { formatBytes } from '../ui/format.ts';
import { IconFolder, IconToParent } from '../ui/theme/icons.ts';
import { Skeleton } from '../ui/states.tsx';
import { TrackCount } from './folder-contents.tsx';
import styles from './folder-picker.module.css';

interface FolderPickerProps {
  /** The path of the displayed folder; undefined before the server's first response. */
  path: string | undefined;
  onChange: Dispatch<SetStateAction<string | undefined>>;
  /** Displays why a folder is unsuitable for music. */
  isForMusic?: boolean;
  /** The form already displays an error for this path. */
  isRefused?: boolean;
}

export function FolderPicker({ path, onChange, isForMusic = true, isRefused = false }: FolderPickerProps) {
  const { t } = useTranslation();
  const { data, error } = useQuery(serverFolderQuery(path));
  // while a path is typed, the last folder stays displayed, so that nothing moves below the pointer
  const [shownFolder, setShown] = useState<ServerFolderOut>();
  if (data && data !== shownFolder) setShown(data);
  const start = path === undefined ? data?.path : undefined;
  useEffect(() => {
    if (start !== undefined) onChange((now) => now ?? start); // a path that was typed in the meantime stays
  }, [start, onChange]);
  const wordsOf = (problem: Error): string => {
    const fault = problem instanceof ApiError ? problem.field('path') : undefined;
    return fault === undefined ? detailOf(problem) : t('picker.fault', { fault });
  };
  const noteOf = ({ fault, free_bytes, total_bytes }: ServerFolderOut): string =>
    isForMusic && fault !== null
      ? t('picker.fault', { fault })
      : t('picker.free', { free: formatBytes(free_bytes), total: formatBytes(total_bytes) });
  return (
    <div className={styles.picker} role="group" aria-label={t('picker.label')}>
      <div className={styles.places}>
        <Button
          icon={IconToParent}
          disabled={!shownFolder?.parent}
          onClick={() => shownFolder?.parent && onChange(shownFolder.parent)}
        >
          {t('picker.up')}
        </Button>
        {shownFolder?.places.map((place) => (
          <Button key={place.path} variant="plain" onClick={() => onChange(place.path)}>
            {place.name}
          </Button>
        ))}
      </div>
      {shownFolder ? (
        <ul className={styles.list} aria-label={shownFolder.path}>
          {shownFolder.folders.map((folder) => (
            <li key={folder.path}>
              <button type="button" onClick={() => onChange(folder.path)}>
                <IconFolder size={18} aria-hidden />
                <span>{folder.name}</span>
                {isForMusic && (
                  <small>
                    <TrackCount path={folder.path} />
                  </small>
                )}
              </button>
            </li>
          ))}
          {shownFolder.folders.length === 0 && <li className={styles.note}>{t('picker.none')}</li>}
        </ul>
      ) : (
        !error && <Skeleton height="192px" />
      )}
      {error && !isRefused ? (
        <p role="alert" className={styles.fault}>
          {wordsOf(error)}
        </p>
      ) : (
        <p className={styles.note} aria-live="polite">
          {shownFolder && !error && noteOf(shownFolder)}
        </p>
      )}
    </div>
  );
}
