// The player over the whole screen of a phone.
import { Modal } from '@mantine/core';
import { IconChevronDown, IconPlaylist } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { trackCover } from '../../api/urls.ts';
import { useCurrentTrack } from '../../player/use-player.ts';
import { useArtworkAccent } from '../../ui/artwork-accent.ts';
import { IconButton } from '../../ui/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { NowPlayingText } from './now-playing.tsx';
import { QueueList } from './queue-list.tsx';
import { SeekBar, TransportButtons } from './transport.tsx';
import styles from './player-sheet.module.css';

export function PlayerSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const track = useCurrentTrack();
  const [queue, setQueue] = useState(false);
  const accent = useArtworkAccent(track ? trackCover(track, 160) : null);
  return (
    <Modal opened={opened && track !== null} onClose={onClose} fullScreen withCloseButton={false} padding={0} transitionProps={{ transition: 'slide-up', duration: 180 }}
      attributes={{ content: { 'aria-label': t('player.player') } }} styles={{ body: { height: '100%' } }}>
      {track && (
        <div className={styles.sheet} style={accent}>
          <div className={styles.top}>
            <IconButton label={t('player.close')} icon={IconChevronDown} iconSize={24} onClick={onClose} />
            <span className={styles.album}>{track.album_title}</span>
            <IconButton label={t('queue.queue')} icon={IconPlaylist} aria-pressed={queue} onClick={() => setQueue(!queue)} />
          </div>
          {queue ? <div className={styles.queue}><QueueList /></div> : (
            <div className={styles.art}><Cover src={trackCover(track, 600)} alt="" className={styles.cover} eager /></div>
          )}
          <div onClick={(event) => (event.target as HTMLElement).closest('a') && onClose()}>
            <NowPlayingText track={track} size="large" />
          </div>
          <SeekBar below />
          <TransportButtons large />
        </div>
      )}
    </Modal>
  );
}
