import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { guestCover, savedShareUrl, savedTrackUrl, type GuestShare, type GuestTrack } from '../../api/guest-share.ts';
import { FailureNotice } from '../../features/playback/failure-notice.tsx';
import { SeekBar, TransportButtons, VolumeControl } from '../../features/playback/transport.tsx';
import { Mosaic } from '../../music/mosaic.tsx';
import { isSounding } from '../../player/player.ts';
import { usePlayerKeys } from '../../player/use-player-keys.ts';
import { useCurrentTrack, usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { formatClock, formatLength, formatNumber } from '../../ui/format.ts';
import { Hero, HeroPage } from '../../ui/hero.tsx';
import { formatLongDate } from '../../ui/long-date.ts';
import { SoundBars } from '../../ui/sound-bars.tsx';
import { useArtworkAccent } from '../../ui/theme/artwork-accent.ts';
import { IconDownload, IconPause, IconPlay } from '../../ui/theme/icons.ts';
import { idOf } from './guest-player.ts';
import styles from './share.module.css';

const MAX_COVERS = 4;

/** The cover, the facts, the tracks and the player of a share. */
export function SharedMusic({ share }: { share: GuestShare }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const sounding = usePlayer(isSounding);
  const [hasStarted, setStarted] = useState(false);
  usePlayerKeys();
  const coverPositions = [...new Set(share.tracks.flatMap(({ cover_position }) => cover_position ?? []))];
  const covers = coverPositions.slice(0, MAX_COVERS).flatMap((position) => guestCover(position, 600) ?? []);
  const accent = useArtworkAccent(guestCover(coverPositions[0] ?? null, 160));
  const name = share.name ?? t('guest.sharedMusic');
  if (sounding && !hasStarted) setStarted(true);
  return (
    <div className={styles.window} style={accent}>
      <main className={styles.scroller} tabIndex={-1}>
        <HeroPage accent={accent}>
          <Hero
            kind={t(`guest.kind.${share.kind ?? 'music'}`)}
            name={name}
            cover={covers[0] ?? null}
            {...(covers.length === MAX_COVERS && { picture: <Mosaic covers={covers} /> })}
            by={share.artist_name}
            facts={[
              t('guest.sharedBy', { name: share.shared_by }),
              [
                t('guest.tracks', { count: share.track_count, number: formatNumber(share.track_count) }),
                formatLength(share.duration_ms),
              ].join(', '),
              share.expires_at !== null && t('guest.until', { date: formatLongDate(share.expires_at) }),
            ]}
            actions={
              <>
                <Button
                  variant="primary"
                  icon={sounding ? IconPause : IconPlay}
                  onClick={() => player.toggle()}
                  disabled={!share.tracks.some(({ is_available }) => is_available)}
                >
                  {t(sounding ? 'player.pause' : 'player.play')}
                </Button>
                {share.allows_saving && (
                  <a className={styles.save} href={savedShareUrl()} download>
                    <IconDownload size={18} aria-hidden />
                    {t('guest.saveAll')}
                  </a>
                )}
              </>
            }
          />
          <ol className={styles.tracks} aria-label={t('guest.trackList')}>
            {share.tracks.map((track, index) => (
              <TrackRow
                key={track.position}
                track={track}
                number={index + 1}
                showsCover={coverPositions.length > 1}
                albumArtist={share.artist_name}
                maySave={share.allows_saving}
              />
            ))}
          </ol>
        </HeroPage>
      </main>
      {hasStarted ? <PlayerBar share={share} /> : <footer className={styles.program}>{t('app.name')}</footer>}
    </div>
  );
}

interface TrackRowProps {
  track: GuestTrack;
  number: number;
  showsCover: boolean;
  /** The artist of the album, who is not repeated in every row. */
  albumArtist: string | null;
  maySave: boolean;
}

function TrackRow({ track, number, showsCover, albumArtist, maySave }: TrackRowProps) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const id = idOf(track);
  const key = usePlayer((state) => state.queue.find((entry) => entry.track.id === id)?.key);
  const isCurrent = usePlayer((state) => state.queue[state.index]?.track.id === id && isStarted(state));
  const isPlaying = usePlayer((state) => state.queue[state.index]?.track.id === id && isSounding(state));
  const { title, artist_name: artist, duration_ms: duration, is_available: isAvailable } = track;
  const play = () => {
    if (isCurrent) player.toggle();
    else if (key !== undefined) player.jumpTo(key);
  };
  return (
    <li className={styles.track} aria-current={isCurrent || undefined}>
      <button type="button" className={styles.row} disabled={!isAvailable} onClick={play}>
        <span className="visually-hidden">{t(isPlaying ? 'player.pause' : 'player.play')}</span>
        <span className={styles.number}>{isPlaying ? <SoundBars moving /> : number}</span>
        {showsCover && <Cover src={guestCover(track.cover_position, 64)} alt="" className={styles.small} />}
        <span className={styles.words}>
          <span className={styles.title}>{title}</span>
          {!isAvailable ? (
            <span className={styles.artist}>{t('guest.unavailable')}</span>
          ) : (
            artist !== null && artist !== albumArtist && <span className={styles.artist}>{artist}</span>
          )}
        </span>
        {duration !== null && <span className={styles.time}>{formatClock(duration)}</span>}
      </button>
      {maySave && isAvailable && (
        <a
          className={styles.saveTrack}
          href={savedTrackUrl(track.position)}
          download
          aria-label={t('guest.saveTrack', { title })}
          data-tip={t('guest.save')}
        >
          <IconDownload size={18} aria-hidden />
        </a>
      )}
    </li>
  );
}

/** Returns whether a track has been played, as opposed to the first track that waits for its turn. */
const isStarted = (state: { status: string; positionMs: number }): boolean =>
  state.status !== 'idle' && (state.status !== 'paused' || state.positionMs > 0);

function PlayerBar({ share }: { share: GuestShare }) {
  const { t } = useTranslation();
  const current = useCurrentTrack();
  const track = share.tracks.find((candidate) => current !== null && idOf(candidate) === current.id);
  if (!track) return null;
  return (
    <section className={styles.bar} aria-label={t('player.player')}>
      <div className={styles.now}>
        <Cover src={guestCover(track.cover_position, 160)} alt="" className={styles.nowCover} />
        <div className={styles.words}>
          <span className={styles.title}>{track.title}</span>
          <span className={styles.artist}>{track.artist_name}</span>
        </div>
      </div>
      <div className={styles.middle}>
        <TransportButtons />
        <SeekBar plain />
      </div>
      <div className={styles.volume}>
        <VolumeControl />
      </div>
      <FailureNotice />
    </section>
  );
}
