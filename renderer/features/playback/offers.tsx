// Offers the music of another device, which never starts automatically: a device that plays, a hand-over that needs a
// tap, a device that has disappeared, or the queue that another device has left.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOtherDevices } from '../../api/devices.ts';
import { fetchQueueTracks, queueQuery } from '../../api/queue.ts';
import { useSession } from '../../api/session.ts';
import { clientId, shownName } from '../../api/client-name.ts';
import { trackQuery } from '../../api/tracks.ts';
import { setDeviceNotes, useDeviceNotes } from '../../player/device-notes.ts';
import { currentEntry, isSounding } from '../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { IconClose, IconDevices } from '../../ui/theme/icons.ts';
import { storedChoice } from '../../stored-choice.ts';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import '../../i18n/device-texts.ts';
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
  text: string;
  /** The label of the button; without it there is nothing to do but to dismiss the text. */
  label?: string;
  accept?: () => Promise<void> | void;
  dismiss: () => void;
}

export function Offers() {
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const leftQueue = useLeftQueue();
  const deviceOffer = useDeviceOffer(leftQueue.goOn);
  const playingOffer = usePlayingDevice();
  const offer = deviceOffer ?? playingOffer ?? leftQueue.offer;
  const accept = async () => offer?.accept?.();
  return (
    <div role="status" className={styles.offer} data-shown={offer !== null || undefined}>
      {offer && (
        <>
          <IconDevices size={16} aria-hidden />
          <span>{offer.text}</span>
          {offer.label !== undefined && (
            <button type="button" onClick={() => void accept().catch((error: Error) => tell(error.message))}>
              {offer.label}
            </button>
          )}
          <IconButton label={t('queueOffer.dismiss')} icon={IconClose} iconSize={16} onClick={offer.dismiss} />
        </>
      )}
    </div>
  );
}

/** What became of a hand-over. `goOn` continues the queue that a device has left. */
function useDeviceOffer(goOn: () => Promise<void>): Offer | null {
  const { t } = useTranslation();
  const { note, agent } = useDeviceNotes();
  const sounding = usePlayer(isSounding);
  if (!note) return null;
  const { name } = note;
  const dismiss = () => setDeviceNotes({ note: null });
  if (note.kind === 'tap')
    return {
      text: t('queueOffer.tap', { name }),
      label: t('queueOffer.tapToPlay'),
      accept: () => agent?.playHere(note.id),
      dismiss,
    };
  if (note.kind !== 'gone') return { text: t(`queueOffer.${note.kind}`, { name }), dismiss };
  if (sounding) return { text: t('queueOffer.unreachable', { name }), dismiss };
  return {
    text: t('queueOffer.gone', { name }),
    label: t('queueOffer.playHere'),
    accept: () => {
      dismiss();
      return goOn();
    },
    dismiss,
  };
}

/** Another device that plays while nothing plays here. */
function usePlayingDevice(): Offer | null {
  const { t } = useTranslation();
  const { agent } = useDeviceNotes();
  const [dismissedId, setDismissedId] = useState<string | null>(null);
  const sounding = usePlayer(isSounding);
  const device = useOtherDevices().find(({ playing, track }) => playing && track !== null);
  if (!device?.track || sounding || device.id === dismissedId) return null;
  return {
    text: t('queueOffer.playing', { title: device.track.title, name: device.name }),
    label: t('queueOffer.playHere'),
    accept: () => agent?.playHere(device.id),
    dismiss: () => setDismissedId(device.id),
  };
}

/** The queue that another device saved last, and the function that continues it here. */
function useLeftQueue(): { offer: Offer | null; goOn: () => Promise<void> } {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const signedIn = useSession() !== null;
  const sounding = usePlayer(isSounding);
  const isPlayingElsewhere = useOtherDevices().some(({ playing }) => playing);
  const currentTrackId = usePlayer((state) => currentEntry(state)?.track.id);
  const dismissed = dismissedQueue.use();
  const { data: queue } = useQuery({ ...queueQuery(), enabled: signedIn });
  const trackId = queue?.track_ids[queue.current_index];
  const isOfOther = queue !== undefined && trackId !== undefined && queue.changed_by !== clientId();
  const isOffered =
    isOfOther && queue.updated_at !== dismissed && !sounding && !isPlayingElsewhere && trackId !== currentTrackId;
  const { data: track } = useQuery({ ...trackQuery(trackId ?? 0), enabled: isOffered });

  const queueTime = queue?.updated_at ?? '';
  const dismiss = () => dismissedQueue.set(queueTime);
  // who plays something else here does not want that queue, also not in the next pause
  useEffect(() => {
    if (sounding && isOfOther) dismissedQueue.set(queueTime);
  }, [sounding, isOfOther, queueTime]);
  async function goOn(): Promise<void> {
    if (isOfOther) {
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
    }
    player.play();
  }
  if (!isOffered || !track) return { offer: null, goOn };
  const { changed_by } = queue;
  const text = t(changed_by === null ? 'queueOffer.textUnnamed' : 'queueOffer.text', {
    title: track.title,
    client: changed_by === null ? '' : shownName(changed_by),
  });
  return { offer: { text, label: t('queueOffer.continue'), accept: goOn, dismiss }, goOn };
}
