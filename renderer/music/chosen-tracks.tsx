// A list of tracks that Tonearm chose, such as similar tracks, a mix or a path, each with its reasons. A click plays
// the list from that track on.
import { useTranslation } from 'react-i18next';
import type { Reason } from '../api/likeness.ts';
import type { TrackOut } from '../api/routes.ts';
import { trackCover } from '../api/urls.ts';
import { currentEntry, isSounding } from '../player/player.ts';
import { usePlayer, usePlayerCommands } from '../player/use-player.ts';
import { classNames } from '../ui/class-names.ts';
import { Cover } from '../ui/cover.tsx';
import { formatClock } from '../ui/format.ts';
import { moveAmongRows } from '../ui/lists/row-keys.ts';
import rows from '../ui/lists/rows.module.css';
import { SoundBars } from '../ui/sound-bars.tsx';
import { markItems } from './item-marks.ts';
import { trackItems } from './items.ts';
import { reasonsText } from './reasons.ts';
import { oneTrack } from './track-drag.ts';
import { TrackMenu } from './track-menu.tsx';
import styles from './chosen-tracks.module.css';

interface Chosen {
  track: TrackOut;
  reasons?: readonly Reason[];
  /** Text displayed in place of the reasons. */
  note?: string;
}

interface ChosenTracksProps {
  label: string;
  items: readonly Chosen[];
  /** The name under which the queue displays the list. */
  from: string;
}

export function ChosenTracks({ label, items, from }: ChosenTracksProps) {
  const player = usePlayerCommands();
  const tracks = items.map(({ track, reasons }) => ({ ...track, why: reasons }));
  return (
    <ol className={styles.list} aria-label={label} onKeyDown={moveAmongRows}>
      {items.map((item, index) => (
        <ChosenRow
          key={item.track.id}
          {...item}
          onPlay={() => player.playTracks(tracks, { startAt: index, shuffle: false, from })}
        />
      ))}
    </ol>
  );
}

function ChosenRow({ track, reasons = [], note, onPlay }: Chosen & { onPlay: () => void }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const isCurrent = usePlayer((state) => currentEntry(state)?.track.id === track.id);
  const sounding = usePlayer((state) => isCurrent && isSounding(state));
  const reasonText = note ?? reasonsText(reasons, t);
  return (
    <li
      className={classNames(rows.row, styles.row)}
      aria-current={isCurrent || undefined}
      data-track={track.id}
      {...markItems(trackItems(oneTrack(track)))}
    >
      <button type="button" className={styles.play} data-stop onClick={() => (isCurrent ? player.toggle() : onPlay())}>
        <Cover src={trackCover(track, 64)} alt="" className={styles.cover} />
        <span className={classNames(rows.text, styles.text)}>
          <span className="visually-hidden">{t(sounding ? 'player.pause' : 'player.play')}</span>
          <span className={rows.title}>{track.title}</span>
          <span className={rows.by}>{track.artist_name ?? t('library.unknownArtist')}</span>
          {reasonText !== '' && <span className={styles.why}>{reasonText}</span>}
        </span>
        <span className={styles.length}>
          {isCurrent ? <SoundBars moving={sounding} /> : track.duration_ms !== null && formatClock(track.duration_ms)}
        </span>
      </button>
      <TrackMenu track={track} className={styles.menu} />
    </li>
  );
}
