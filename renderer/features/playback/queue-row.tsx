import { useSortable } from '@dnd-kit/sortable';
import { useTranslation } from 'react-i18next';
import { IconDrag, IconRemove } from '../../ui/icons.ts';
import { trackCover } from '../../api/urls.ts';
import { isSounding, type QueueEntry } from '../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { IconButton } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Cover } from '../../ui/cover.tsx';
import { formatClock } from '../../ui/format.ts';
import { SoundBars } from '../../ui/sound-bars.tsx';
import rows from '../../ui/rows.module.css';
import styles from './queue.module.css';

interface QueueRowProps {
  entry: QueueEntry;
  state: 'played' | 'current' | 'coming';
  tabIndex: 0 | -1;
}

export function QueueRow({ entry, state, tabIndex }: QueueRowProps) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const sounding = usePlayer(isSounding);
  const { setNodeRef, listeners, transform, transition, isDragging } = useSortable({ id: entry.key });
  const { track } = entry;
  const by = track.artist_name ?? t('library.unknownArtist');
  return (
    <div
      ref={setNodeRef}
      className={classNames(rows.row, styles.row)}
      data-state={state}
      data-dragged={isDragging || undefined}
      style={transform ? { transform: `translateY(${transform.y}px)`, transition } : {}}
      {...listeners}
    >
      <button
        type="button"
        className={styles.jump}
        data-stop
        tabIndex={tabIndex}
        aria-current={state === 'current' || undefined}
        aria-describedby="queue-keys"
        onClick={() => player.jumpTo(entry.key)}
      >
        <Cover src={trackCover(track, 64)} alt="" className={styles.cover} />
        <span className={classNames(rows.text, styles.text)}>
          <span className={rows.title}>{track.title}</span>
          <span className={rows.by}>{by}</span>
        </span>
        <span className={styles.length}>
          {state === 'current' ? (
            <SoundBars moving={sounding} />
          ) : track.duration_ms === null ? (
            ''
          ) : (
            formatClock(track.duration_ms)
          )}
        </span>
      </button>
      <span className={styles.actions}>
        <IconButton
          label={t('queue.remove', { title: track.title })}
          icon={IconRemove}
          iconSize={16}
          size="small"
          tabIndex={-1}
          onClick={() => player.remove(entry.key)}
        />
        <IconDrag size={16} className={styles.grip} aria-hidden />
      </span>
    </div>
  );
}
