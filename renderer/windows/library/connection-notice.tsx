import { IconCloudOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import styles from './notice.module.css';

export function ConnectionNotice() {
  const { t } = useTranslation();
  return (
    <p role="status" className={styles.notice}>
      <IconCloudOff size={18} aria-hidden />
      {t('notice.disconnected')}
    </p>
  );
}
