import { useTranslation } from 'react-i18next';
import { useBeside } from '../../player/station-or-episode.ts';
import { isSounding } from '../../player/player.ts';
import { useCurrentTrack, usePlayer } from '../../player/use-player.ts';

/** Returns “Title · Artist” of the playing track, or the name of the playing station or episode. */
export function useSoundingTitle(): string | null {
  const { t } = useTranslation();
  const track = useCurrentTrack();
  const sounding = usePlayer(isSounding);
  const besideTitle = useBeside((state) => (state?.status === 'playing' ? state.item.title : null));
  if (besideTitle !== null) return besideTitle;
  if (!track || !sounding) return null;
  return t('playback.windowTitle', { title: track.title, artist: track.artist_name ?? t('library.unknownArtist') });
}
