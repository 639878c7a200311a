// The player bar while a station or an episode plays.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { stationsQuery } from '../../api/stations.ts';
import {
  besideSpeed,
  closeBeside,
  seekBeside,
  setBesideSpeed,
  toggleBeside,
  useBeside,
  type BesideState,
} from '../../player/station-or-episode.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { formatClock } from '../../ui/format.ts';
import {
  IconBack15,
  IconClose,
  IconForward30,
  IconPause,
  IconPlay,
  IconPodcast,
  IconStation,
} from '../../ui/theme/icons.ts';
import '../../i18n/page-texts.ts';
import rows from '../../ui/lists/rows.module.css';
import { Slider } from '../../ui/controls/slider.tsx';
import styles from './player-bar.module.css';
import { VolumeControl } from './transport.tsx';
import transport from './transport.module.css';

const SPEEDS = [1, 1.25, 1.5, 1.75, 2, 0.75];
const BACK_MS = 15_000;
const FORWARD_MS = 30_000;

export function BesideBar({ narrow }: { narrow: boolean }) {
  const { t } = useTranslation();
  const beside = useBeside((state) => state);
  if (!beside) return null;
  const { item, status, positionMs } = beside;
  const isEpisode = item.kind === 'episode';
  const isPlaying = status === 'playing' || status === 'loading';
  const toggle = (
    <button
      type="button"
      className={transport.play}
      onClick={toggleBeside}
      aria-label={t(isPlaying ? 'player.pause' : 'player.play')}
    >
      {isPlaying ? <IconPause size={20} aria-hidden /> : <IconPlay size={20} aria-hidden />}
    </button>
  );
  const controls = (
    <div className={transport.buttons} role="group" aria-label={t('player.controls')}>
      {isEpisode && (
        <IconButton label={t('beside.back')} icon={IconBack15} onClick={() => seekBeside(positionMs - BACK_MS)} />
      )}
      {toggle}
      {isEpisode && (
        <IconButton
          label={t('beside.forward')}
          icon={IconForward30}
          onClick={() => seekBeside(positionMs + FORWARD_MS)}
        />
      )}
    </div>
  );
  const close = <IconButton label={t('beside.stop')} icon={IconClose} onClick={closeBeside} />;
  return (
    <section className={narrow ? styles.mini : styles.bar} data-beside={item.kind} aria-label={t('player.player')}>
      <div className={styles.now}>
        <span className={styles.tile}>
          {isEpisode ? <IconPodcast size={24} aria-hidden /> : <IconStation size={24} aria-hidden />}
        </span>
        <Words beside={beside} />
      </div>
      {narrow ? (
        <>
          {controls}
          {close}
          {isEpisode && <Position beside={beside} />}
        </>
      ) : (
        <>
          <div className={styles.middle}>
            {controls}
            {isEpisode ? <Position beside={beside} /> : <p className={styles.live}>{t('beside.live')}</p>}
          </div>
          <div className={styles.side}>
            {isEpisode && <Speed />}
            <VolumeControl />
            {close}
          </div>
        </>
      )}
    </section>
  );
}

/** The name of a station or episode, and the song that a station is playing. */
function Words({ beside: { item, status } }: { beside: BesideState }) {
  const { t } = useTranslation();
  const isStation = item.kind === 'station';
  const { data: stations } = useQuery({ ...stationsQuery(), enabled: isStation });
  const title = stations?.find(({ id }) => isStation && id === item.id)?.title;
  return (
    <div className={classNames(rows.text, styles.titles)}>
      <Link to={isStation ? '/stations' : '/podcasts'} className={rows.line}>
        {item.title}
      </Link>
      {status === 'failed' ? (
        <span role="alert">{t(isStation ? 'stations.failed' : 'podcasts.failed')}</span>
      ) : (
        <span className={rows.line} aria-live="polite">
          {status === 'loading' ? t('beside.loading') : (title ?? item.by ?? t('place.stations'))}
        </span>
      )}
    </div>
  );
}

function Position({ beside: { positionMs, durationMs } }: { beside: BesideState }) {
  const { t } = useTranslation();
  const text = { position: formatClock(positionMs), duration: formatClock(durationMs) };
  return (
    <div className={transport.seek}>
      <span className={transport.time}>{text.position}</span>
      <Slider
        label={t('player.seek')}
        value={Math.min(positionMs, durationMs)}
        max={durationMs}
        step={1_000}
        disabled={durationMs === 0}
        onChange={seekBeside}
        valueText={t('player.position', text)}
        hoverText={formatClock}
      />
      <span className={transport.time}>{text.duration}</span>
    </div>
  );
}

/** A button that switches to the next speed. */
function Speed() {
  const { t } = useTranslation();
  const speed = besideSpeed();
  const text = t('playback.speedIs', { speed });
  return (
    <button
      type="button"
      className={styles.speed}
      aria-label={`${t('playback.speed')}: ${text}`}
      data-tip={t('playback.speed')}
      onClick={() => setBesideSpeed(SPEEDS[SPEEDS.indexOf(speed) + 1] ?? 1)}
    >
      {text}
    </button>
  );
}
