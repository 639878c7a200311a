import { useTranslation } from 'react-i18next';
import type { PlaylistOut } from '../../../server/playlists/wire.ts';
import { playlistItems } from '../../music/items.ts';
import { MoreButton } from '../../music/more-button.tsx';
import { useActions } from '../../music/use-actions.ts';
import { Button } from '../../ui/button.tsx';
import { IconPlay, IconShuffle } from '../../ui/icons.ts';

/** Everything but playing is behind "…". */
export function PlaylistTools({ playlist }: { playlist: PlaylistOut }) {
  const { t } = useTranslation();
  const { run } = useActions();
  const items = playlistItems(playlist);
  const isEmpty = playlist.track_count === 0;
  return (
    <>
      <Button variant="primary" icon={IconPlay} disabled={isEmpty} onClick={() => void run('play', items)}>
        {t('player.play')}
      </Button>
      <Button icon={IconShuffle} disabled={isEmpty} onClick={() => void run('shuffle', items)}>
        {t('player.shuffle')}
      </Button>
      <MoreButton items={items} name={playlist.name} />
    </>
  );
}
