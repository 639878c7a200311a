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
import styles from './folder-picker.module.css';

interface FolderPickerProps {
  /** The folder that is shown; undefined before the first answer of the server. */
  path: string | undefined;
  onChange: Dispatch<SetStateAction<string | undefined>>;
  /** Says what makes a folder unfit for music. */
  isForMusic?: boolean;
  /** The form says already what is wrong with this path. */
  isRefused?: boolean;
}

export function FolderPicker({ path, onChange, isForMusic = true, isRefused = false }: FolderPickerProps) {
  const { t } = useTranslation();
  const { data, error } = useQuery(serverFolderQuery(path));
  // while a path is typed, the last folder stays: nothing moves below the pointer
  const [shown, setShown] = useState<ServerFolderOut>();
  if (data && data !== shown) setShown(data);
  const start = path === undefined ? data?.path : undefined;
  useEffect(() => {
    if (start !== undefined) onChange((now) => now ?? start); // what was typed meanwhile stays
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
        <Button icon={IconToParent} disabled={!shown?.parent} onClick={() => shown?.parent && onChange(shown.parent)}>
          {t('picker.up')}
        </Button>
        {shown?.places.map((place) => (
          <Button key={place.path} variant="plain" onClick={() => onChange(place.path)}>
            {place.name}
          </Button>
        ))}
      </div>
      {shown ? (
        <ul className={styles.list} aria-label={shown.path}>
          {shown.folders.map((folder) => (
            <li key={folder.path}>
              <button type="button" onClick={() => onChange(folder.path)}>
                <IconFolder size={18} aria-hidden />
                <span>{folder.name}</span>
              </button>
            </li>
          ))}
          {shown.folders.length === 0 && <li className={styles.note}>{t('picker.none')}</li>}
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
          {shown && !error && noteOf(shown)}
        </p>
      )}
    </div>
  );
}
