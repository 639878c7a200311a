import { IconTrash, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { trackCover } from '../../api/urls.ts';
import { useCurrentTrack, usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { useArtworkAccent } from '../../ui/artwork-accent.ts';
import { IconButton } from '../../ui/button.tsx';
import { QueueList } from './queue-list.tsx';
import styles from './queue.module.css';

export function QueuePanel({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const count = usePlayer((state) => state.queue.length);
  const track = useCurrentTrack();
  const accent = useArtworkAccent(track ? trackCover(track, 160) : null);
  return (
    <div className={styles.panel} style={accent}>
      <div className={styles.head}>
        <h2>{t('queue.queue')}</h2>
        <p>{count > 0 && t('track.count', { count })}</p>
        <IconButton label={t('queue.clear')} icon={IconTrash} iconSize={18} disabled={count === 0} onClick={() => player.clear()} />
        <IconButton label={t('queue.close')} icon={IconX} iconSize={18} onClick={onClose} />
      </div>
      {count === 0 ? <p className={styles.empty}>{t('queue.empty')}</p> : <QueueList />}
    </div>
  );
}
