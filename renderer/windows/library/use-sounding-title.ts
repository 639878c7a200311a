import { useTranslation } from 'react-i18next';
import { isSounding } from '../../player/player.ts';
import { useCurrentTrack, usePlayer } from '../../player/use-player.ts';

/** "Title · Artist" of what sounds. */
export function useSoundingTitle(): string | null {
  const { t } = useTranslation();
  const track = useCurrentTrack();
  const sounding = usePlayer(isSounding);
  if (!track || !sounding) return null;
  return t('playback.windowTitle', { title: track.title, artist: track.artist_name ?? t('library.unknownArtist') });
}
