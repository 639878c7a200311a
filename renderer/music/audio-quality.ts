import type { TFunction } from 'i18next';
import { formatFormat, formatNumber } from '../ui/format.ts';
import type { TrackOut } from '../api/routes.ts';

/** Returns "FLAC 44.1 kHz 16 bit", "MP3 320 kbit/s", or only the formats if the tracks have different ones. */
export function qualityOf(tracks: readonly TrackOut[], t: TFunction): string {
  const formats = [...new Set(tracks.flatMap((track) => track.format ?? []))];
  const rates = tracks.flatMap((track) => track.bitrate_kbps ?? []);
  const firstTrack = tracks[0];
  const average = Math.round(rates.reduce((sum, rate) => sum + rate, 0) / rates.length);
  const rate = rates.length === 0 ? '' : t('table.kbps', { rate: formatNumber(average) });
  const isUniform =
    firstTrack &&
    tracks.every(
      (track) => track.sample_rate_hz === firstTrack.sample_rate_hz && track.bit_depth === firstTrack.bit_depth,
    );
  const samples =
    isUniform && firstTrack.sample_rate_hz && firstTrack.bit_depth
      ? `${firstTrack.bit_depth} bit ${formatNumber(firstTrack.sample_rate_hz / 1000)} kHz`
      : '';
  return [formats.map(formatFormat).join(', '), samples, rate].filter(Boolean).join(' · ');
}
