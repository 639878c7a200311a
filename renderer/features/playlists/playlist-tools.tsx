import { useTranslation } from 'react-i18next';
import { playlistItems } from '../../music/items.ts';
import type { PlaylistOut } from '../../api/routes.ts';
import { MoreButton } from '../../music/more-button.tsx';
import { PlayButton } from '../../music/play-button.tsx';
import { useActions } from '../../music/use-actions.ts';
import { Button } from '../../ui/controls/button.tsx';
import { IconShuffle } from '../../ui/theme/icons.ts';

interface PlaylistToolsProps {
  playlist: PlaylistOut;
  /** Returns whether the loaded part of the playlist contains the track. */
  has: (trackId: number) => boolean;
}

/** The buttons of a playlist; all actions except playing are in the “…” menu. */
export function PlaylistTools({ playlist, has }: PlaylistToolsProps) {
  const { t } = useTranslation();
  const { run } = useActions();
  const items = playlistItems(playlist);
  const isEmpty = playlist.track_count === 0;
  return (
    <>
      <PlayButton has={has} disabled={isEmpty} onPlay={() => void run('play', items)} />
      <Button icon={IconShuffle} disabled={isEmpty} onClick={() => void run('shuffle', items)}>
        {t('player.shuffle')}
      </Button>
      <MoreButton items={items} name={playlist.name} />
    </>
  );
}
