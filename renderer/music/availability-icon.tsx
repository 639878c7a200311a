import { useTranslation } from 'react-i18next';
import { IconFetch, IconFolderOffline, IconMissing, IconRemote } from '../ui/theme/icons.ts';
import type { TrackOut } from '../api/routes.ts';
import '../i18n/page-texts.ts';
import styles from './availability-icon.module.css';

const SYMBOLS = { remote: IconRemote, fetching: IconFetch, missing: IconMissing, offline: IconFolderOffline };

/** The icon next to the title of a track whose audio is not available. */
export function AvailabilityIcon({ availability }: Pick<TrackOut, 'availability'>) {
  const { t } = useTranslation();
  if (availability === 'available') return null;
  const Symbol = SYMBOLS[availability];
  const words = t(`details.is.${availability}`);
  return (
    <span className={styles.mark} role="img" aria-label={words} title={words}>
      <Symbol size={16} aria-hidden />
    </span>
  );
}
