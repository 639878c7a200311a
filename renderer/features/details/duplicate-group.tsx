import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconPlay } from '../../ui/theme/icons.ts';
import type { DuplicateGroupOut, TrackOut } from '../../api/routes.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { formatBytes, formatClock, formatFormat, formatNumber, formatPercent } from '../../ui/format.ts';
import '../../i18n/page-texts.ts';
import styles from './review.module.css';

interface DuplicateGroupProps {
  group: DuplicateGroupOut;
  onKeep: (id: number) => void;
  onTellApart: (id: number) => void;
}

export function DuplicateGroup({ group, onKeep, onTellApart }: DuplicateGroupProps) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const [keptId, setKept] = useState(group.keep_id);
  const [firstTrack] = group.tracks;
  const name = `keep-${group.id}`;
  const spare = group.tracks.reduce((sum, track) => sum + (track.id === keptId ? 0 : (track.size_bytes ?? 0)), 0);
  const quality = (track: TrackOut) =>
    [
      track.bitrate_kbps && t('details.kbps', { rate: formatNumber(track.bitrate_kbps) }),
      track.bit_depth && `${track.bit_depth} bit`,
      track.sample_rate_hz && `${formatNumber(track.sample_rate_hz / 1000)} kHz`,
    ]
      .filter(Boolean)
      .join(' · ');
  return (
    <li className={styles.group} aria-label={firstTrack?.title}>
      <header className={styles.groupHead}>
        <h2>
          {firstTrack?.title}
          <span>{firstTrack?.artist_name}</span>
        </h2>
        <span>{t('duplicates.alike', { score: formatPercent(group.similarity) })}</span>
      </header>
      <div className={styles.tableBox}>
        <table className={styles.compare}>
          <thead>
            <tr>
              <th scope="col">{t('duplicates.keep')}</th>
              <th scope="col">{t('sort.album')}</th>
              <th scope="col">{t('track.format')}</th>
              <th scope="col">{t('duplicates.quality')}</th>
              <th scope="col">{t('details.size')}</th>
              <th scope="col">{t('track.time')}</th>
              <th scope="col">{t('details.plays')}</th>
              <th scope="col">
                <span className="visually-hidden">{t('player.play')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {group.tracks.map((track) => (
              <tr key={track.id} data-kept={track.id === keptId || undefined} data-track={track.id}>
                <td>
                  <input
                    type="radio"
                    name={name}
                    checked={track.id === keptId}
                    onChange={() => setKept(track.id)}
                    aria-label={t('duplicates.keepLabel', { title: track.title, file: track.source_id })}
                  />
                </td>
                <td>
                  <span className={styles.title}>{track.album_title ?? track.title}</span>
                  <code>{track.source_id}</code>
                  {track.id === group.keep_id && (
                    <span className={styles.suggested}>{t(`duplicates.because.${group.keep_reason}`)}</span>
                  )}
                </td>
                <td>{track.format && formatFormat(track.format)}</td>
                <td>{quality(track)}</td>
                <td>{track.size_bytes !== null && formatBytes(track.size_bytes)}</td>
                <td>{track.duration_ms !== null && formatClock(track.duration_ms)}</td>
                <td data-label={t('details.plays')}>{formatNumber(track.play_count)}</td>
                <td>
                  <IconButton
                    label={t('track.playLabel', { title: `${track.title}, ${track.source_id}` })}
                    icon={IconPlay}
                    size="small"
                    iconSize={16}
                    onClick={() => player.playTracks([track])}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <footer className={styles.groupFoot}>
        <Button variant="primary" onClick={() => onKeep(keptId)}>
          {t('duplicates.merge')}
        </Button>
        <Button onClick={() => onTellApart(keptId)}>{t('duplicates.notSame')}</Button>
        <span>{t('duplicates.frees', { size: formatBytes(spare) })}</span>
      </footer>
    </li>
  );
}
