import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatClock, formatDate, formatFormat, formatNumber } from '../../ui/format.ts';
import { fileNotesQuery } from '../../api/library.ts';
import type { TrackOut } from '../../api/routes.ts';
import '../../i18n/page-texts.ts';
import styles from './details.module.css';

export function FileInfo({ track }: { track: TrackOut }) {
  const { t } = useTranslation();
  const { data: notes = [] } = useQuery(fileNotesQuery(track.id));
  const gain = track.replay_gain?.track_gain_db;
  const facts: [string, ReactNode][] = [
    [t('details.availability'), t(`details.is.${track.availability}`)],
    [t('track.format'), track.format && formatFormat(track.format)],
    [t('details.bitrate'), track.bitrate_kbps && t('details.kbps', { rate: formatNumber(track.bitrate_kbps) })],
    [
      t('details.samples'),
      track.sample_rate_hz &&
        [`${formatNumber(track.sample_rate_hz / 1000)} kHz`, track.bit_depth && `${track.bit_depth} bit`]
          .filter(Boolean)
          .join(' · '),
    ],
    [t('details.channels'), track.channels],
    [t('track.time'), track.duration_ms !== null && formatClock(track.duration_ms)],
    [t('details.size'), track.size_bytes !== null && formatBytes(track.size_bytes)],
    [t('details.gain'), typeof gain === 'number' && `${formatNumber(Math.round(gain * 10) / 10)} dB`],
    [t('details.plays'), formatNumber(track.play_count)],
    [t('details.lastPlayed'), track.last_played_at && formatDate(track.last_played_at)],
    [t('details.added'), formatDate(track.created_at)],
    [t('details.source'), track.source],
    [t('details.file'), <code key="file">{track.source_id}</code>],
    [t('details.fileNotes'), notes.length > 0 && notes.join(' · ')],
    ['MusicBrainz', track.recording_mbid && <code key="mbid">{track.recording_mbid}</code>],
  ];
  return (
    <section aria-label={t('details.fileFacts')}>
      <h3>{t('details.fileFacts')}</h3>
      <dl className={styles.facts}>
        {facts.map(
          ([name, value]) =>
            Boolean(value) && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  );
}
