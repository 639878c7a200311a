// Offers the queue of another device, which is never loaded automatically.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { fetchQueueTracks, queueQuery } from '../../api/queue.ts';
import { useSession } from '../../api/session.ts';
import { clientId, shownName } from '../../api/client-name.ts';
import { trackQuery } from '../../api/tracks.ts';
import { currentEntry, isSounding } from '../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { IconClose, IconDevices } from '../../ui/theme/icons.ts';
import { storedChoice } from '../../stored-choice.ts';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import styles from './player-bar.module.css';

/** Time of the last change of the queue that the user dismissed. */
const dismissedQueue = storedChoice<string>({
  name: 'queueOffer',
  key: 'tonearm.queue.dismissed',
  initial: '',
  read: (text) => text,
  write: (text) => text,
});

interface Offer {
  title: string;
  client: string | null;
  accept: () => Promise<void>;
  dismiss: () => void;
}

/** Offers to continue the queue of another device. */
export function QueueOffer() {
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const offer = useQueueOffer();
  return (
    <div role="status" className={styles.offer} data-shown={offer !== null || undefined}>
      {offer && (
        <>
          <IconDevices size={16} aria-hidden />
          <span>
            {t(offer.client === null ? 'queueOffer.textUnnamed' : 'queueOffer.text', {
              title: offer.title,
              client: offer.client ?? '',
            })}
          </span>
          <button type="button" onClick={() => void offer.accept().catch((error: Error) => tell(error.message))}>
            {t('queueOffer.continue')}
          </button>
          <IconButton label={t('queueOffer.dismiss')} icon={IconClose} iconSize={16} onClick={offer.dismiss} />
        </>
      )}
    </div>
  );
}

function useQueueOffer(): Offer | null {
  const player = usePlayerCommands();
  const signedIn = useSession() !== null;
  const sounding = usePlayer(isSounding);
  const currentTrackId = usePlayer((state) => currentEntry(state)?.track.id);
  const dismissed = dismissedQueue.use();
  const { data: queue } = useQuery({ ...queueQuery(), enabled: signedIn });
  const trackId = queue?.track_ids[queue.current_index];
  const isOffered =
    queue !== undefined &&
    trackId !== undefined &&
    queue.changed_by !== clientId() &&
    queue.updated_at !== dismissed &&
    !sounding &&
    trackId !== currentTrackId;
  const { data: track } = useQuery({ ...trackQuery(trackId ?? 0), enabled: isOffered });
  if (!isOffered || !track) return null;

  const dismiss = () => {
    dismissedQueue.set(queue.updated_at ?? '');
  };
  return {
    title: track.title,
    client: queue.changed_by === null ? null : shownName(queue.changed_by),
    dismiss,
    async accept() {
      const { tracks, index } = await fetchQueueTracks(queue.current_index);
      dismiss();
      const { listening } = queue;
      player.restore(tracks, index, queue.position_ms, {
        listening: listening && {
          id: listening.play_id,
          trackId,
          startedAt: Date.parse(listening.started_at),
          heardMs: listening.heard_ms,
          reportedMs: null,
        },
      });
      player.play();
    },
  };
}
