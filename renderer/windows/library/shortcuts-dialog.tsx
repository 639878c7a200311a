import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { SHORTCUTS } from './shortcut-list.ts';
import '../../i18n/page-texts.ts';
import styles from './notice.module.css';

export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('shortcuts.title')}
      closeButtonProps={{ 'aria-label': t('shortcuts.close') }}
    >
      <dl className={styles.keys}>
        {SHORTCUTS.map(({ name, keys }) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{t(`shortcuts.${name}`)}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{t(`keys.${key}`)}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
