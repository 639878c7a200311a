// The full-screen player on computers and phones. Following a link closes the player.
import { Modal } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { trackCover } from '../../api/urls.ts';
import type { QueueTrack } from '../../player/player.ts';
import { useCurrentTrack } from '../../player/use-player.ts';
import { useArtworkAccent } from '../../ui/theme/artwork-accent.ts';
import { dialogAttributes } from '../../ui/theme/theme.ts';

export interface PlayerOverlayProps {
  opened: boolean;
  onClose: () => void;
}

export function PlayerOverlay({
  opened,
  onClose,
  className,
  children,
}: PlayerOverlayProps & { className: string | undefined; children: (track: QueueTrack) => ReactNode }) {
  const { t } = useTranslation();
  const track = useCurrentTrack();
  const accent = useArtworkAccent(track ? trackCover(track, 160) : null);
  useWindowEvent(
    'keydown',
    (event) => {
      if (opened && event.key === 'Escape' && !event.isComposing && !isBelow()) onClose();
    },
    { capture: true },
  );
  return (
    <Modal
      opened={opened && track !== null}
      onClose={onClose}
      fullScreen
      withCloseButton={false}
      closeOnEscape={false}
      padding={0}
      transitionProps={{ transition: 'slide-up', duration: 180 }}
      attributes={{ ...dialogAttributes, content: { 'aria-label': t('player.player'), 'data-player': true } }}
      styles={{ body: { height: '100%' } }}
    >
      {track && (
        <div
          className={className}
          style={accent}
          tabIndex={-1}
          data-autofocus // not a button, because the space bar must control the player
          onClick={(event) => (event.target as HTMLElement).closest('a') && onClose()}
        >
          {children(track)}
        </div>
      )}
    </Modal>
  );
}

/** Returns whether a dialog or menu is open above the player, which Escape closes first. */
function isBelow(): boolean {
  const player = document.querySelector('[data-player]');
  return [...document.querySelectorAll('[role="dialog"], [role="menu"]')].some(
    (otherElement) =>
      player !== null && player.compareDocumentPosition(otherElement) === Node.DOCUMENT_POSITION_FOLLOWING,
  );
}
