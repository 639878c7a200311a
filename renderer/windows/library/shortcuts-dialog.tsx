import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { hasKeys, WINDOW_COMMANDS } from '../../features/search/window-commands.ts';
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
        {WINDOW_COMMANDS.filter(hasKeys).map(({ name, text, keys }) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{t(text)}</dt>
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
