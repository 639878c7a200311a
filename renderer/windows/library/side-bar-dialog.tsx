// What the side bar displays besides the pages that everybody has: the order of the pins, and pages to pin.
import { Modal, Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isPinned, movePin, togglePin, usePins, type Pin } from '../../music/pins.ts';
import { usePlaces } from '../../music/places.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { IconClose, IconDown, IconUp } from '../../ui/theme/icons.ts';
import { usePinnedItems } from './side-extras.tsx';
import styles from './side-bar-dialog.module.css';

export function SideBarDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const pins = usePins();
  const items = usePinnedItems(pins);
  const places = usePlaces().filter((place) => !('bar' in place));
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('sideBar.title')}
      closeButtonProps={{ 'aria-label': t('shortcuts.close') }}
    >
      <div className={styles.parts}>
        <section aria-label={t('sideBar.pins')}>
          <h3>{t('sideBar.pins')}</h3>
          {items.length === 0 && <p className={styles.help}>{t('sideBar.noPins')}</p>}
          <ul className={styles.pins}>
            {items.map(({ key, label, icon: Symbol, pin }, i) => (
              <li key={key}>
                <Symbol size={18} stroke={1.75} aria-hidden />
                <span className={styles.name}>{label}</span>
                <IconButton
                  size="small"
                  iconSize={18}
                  icon={IconUp}
                  label={t('sideBar.up', { name: label })}
                  aria-disabled={i === 0}
                  onClick={() => movePin(pin, -1)}
                />
                <IconButton
                  size="small"
                  iconSize={18}
                  icon={IconDown}
                  label={t('sideBar.down', { name: label })}
                  aria-disabled={i === items.length - 1}
                  onClick={() => movePin(pin, 1)}
                />
                <IconButton
                  size="small"
                  iconSize={18}
                  icon={IconClose}
                  label={t('sideBar.remove', { name: label })}
                  onClick={() => togglePin(pin)}
                />
              </li>
            ))}
          </ul>
        </section>
        <section aria-label={t('sideBar.pages')}>
          <h3>{t('sideBar.pages')}</h3>
          <p className={styles.help}>{t('sideBar.pagesHelp')}</p>
          <div className={styles.pages}>
            {places.map(({ to, text }) => {
              const pin: Pin = { kind: 'page', id: to, name: t(text) };
              return <Switch key={to} label={pin.name} checked={isPinned(pin)} onChange={() => togglePin(pin)} />;
            })}
          </div>
        </section>
      </div>
    </Modal>
  );
}
