import { useTranslation } from 'react-i18next';
import { IconOffline } from '../../ui/icons.ts';
import styles from './notice.module.css';

/** The desktop app knows at once that its server died. */
export function ConnectionNotice({ isRestarting = false }: { isRestarting?: boolean }) {
  const { t } = useTranslation();
  return (
    <p role="status" className={styles.notice} data-lasting>
      <IconOffline size={18} aria-hidden />
      {t(isRestarting ? 'notice.restarting' : 'notice.disconnected')}
    </p>
  );
}
