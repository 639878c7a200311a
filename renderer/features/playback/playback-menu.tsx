// The player's popover, which is a sheet on phones.
import { Drawer, Popover } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePlayer } from '../../player/use-player.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { IconPlayback, IconSleep } from '../../ui/theme/icons.ts';
import { dialogAttributes } from '../../ui/theme/theme.ts';
import { PlaybackPanel } from './playback-panel.tsx';
import styles from './playback-panel.module.css';

const useNarrow = (): boolean =>
  useMediaQuery('(max-width: 767px)', innerWidth < 768, { getInitialValueInEffect: false });

/** A button that is loaded on its first click, with its popover opened. */
export function PlaybackMenu() {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(true);
  const sleeping = usePlayer((state) => state.sleep !== null);
  const narrow = useNarrow();
  const target = useRef<HTMLButtonElement>(null);
  // the button that was clicked first is gone, so the focus is returned to the one in its place
  useEffect(() => {
    const { activeElement } = document;
    if (opened || (activeElement !== document.body && !activeElement?.closest('[role="dialog"]'))) return;
    target.current?.focus();
  }, [opened]);
  const button = (
    <span>
      <IconButton
        ref={target}
        label={t('playback.settings')}
        icon={sleeping ? IconSleep : IconPlayback}
        aria-haspopup="dialog"
        aria-expanded={opened}
        onClick={() => setOpened(!opened)}
      />
    </span>
  );
  if (narrow)
    return (
      <>
        {button}
        {opened && <PlaybackSheet onClose={() => setOpened(false)} />}
      </>
    );
  return (
    <Popover opened={opened} onChange={setOpened} position="top-end" width={400} trapFocus withRoles={false}>
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={t('playback.settings')} className={styles.popover}>
        <PlaybackPanel />
      </Popover.Dropdown>
    </Popover>
  );
}

/** The same as a sheet: from below on phones, elsewhere beside the page. */
export function PlaybackSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const narrow = useNarrow();
  return (
    <Drawer
      opened
      onClose={onClose}
      position={narrow ? 'bottom' : 'right'}
      size={narrow ? '85%' : 420}
      padding="md"
      title={t('playback.settings')}
      attributes={{ ...dialogAttributes, content: { 'aria-label': t('playback.settings') } }}
      closeButtonProps={{ 'aria-label': t('devices.close') }}
    >
      <PlaybackPanel />
    </Drawer>
  );
}
