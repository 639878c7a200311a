import { useSortable } from '@dnd-kit/sortable';
import { useQueryClient } from '@tanstack/react-query';
import type { TouchEventHandler } from 'react';
import { useTranslation } from 'react-i18next';
import { IconDrag, IconRemove } from '../../ui/theme/icons.ts';
import { trackQuery } from '../../api/tracks.ts';
import { trackCover } from '../../api/urls.ts';
import { markItems } from '../../music/item-marks.ts';
import { trackItems, type Items } from '../../music/items.ts';
import { MoreButton } from '../../music/more-button.tsx';
import { reasonsText } from '../../music/reasons.ts';
import { useSteering } from '../../music/use-steering.ts';
import { isSounding, type QueueEntry } from '../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Cover } from '../../ui/cover.tsx';
import { formatClock } from '../../ui/format.ts';
import { SoundBars } from '../../ui/sound-bars.tsx';
import { useDetailsContext } from '../../ui/use-details.ts';
import rows from '../../ui/lists/rows.module.css';
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
  const { track, why } = entry;
  const isRadio = usePlayer((state) => state.radio !== null);
  const steer = useSteering();
  const queries = useQueryClient();
  const hasPages = useDetailsContext() !== null;
  const items = (): Items => {
    const { queue, index } = player.getState();
    return trackItems(
      { count: 1, only: track, load: async () => [await queries.fetchQuery(trackQuery(track.id))] },
      {
        remove: () => player.remove(entry.key),
        ...(state === 'coming' && {
          toTop: () => player.move(entry.key, index + 1),
          toEnd: () => player.move(entry.key, queue.length - 1),
        }),
        ...(isRadio && { steer }),
      },
    );
  };
  const itemMarks = markItems(items);
  // on touch screens the row scrolls and only its handle moves it
  const { onTouchStart, ...byMouse } = (listeners ?? {}) as { onTouchStart?: TouchEventHandler };
  const by = track.artist_name ?? t('library.unknownArtist');
  return (
    <div
      {...itemMarks}
      ref={(element) => {
        setNodeRef(element);
        itemMarks.ref(element);
      }}
      className={classNames(rows.row, styles.row)}
      data-reasons={why !== undefined || undefined}
      data-state={state}
      data-dragged={isDragging || undefined}
      style={transform ? { transform: `translateY(${transform.y}px)`, transition } : {}}
      {...byMouse}
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
          {why && <span className={styles.why}>{reasonsText(why, t)}</span>}
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
        {hasPages && <MoreButton items={items} name={track.title} tabIndex={-1} />}
        <span className={styles.grip} {...(onTouchStart && { onTouchStart })}>
          <IconDrag size={16} aria-hidden />
        </span>
      </span>
    </div>
  );
}
