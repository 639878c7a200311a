// The jump list of Windows with recently played albums. An entry starts the app with a link to the album.
import { app } from 'electron';
import type { RecentAlbum, SettingsFile } from './shell-settings.ts';
import type { Status } from './status.ts';
import type { Say } from './texts.ts';

const MAX_ALBUMS = 8;

interface RecentAlbumsDeps {
  settingsFile: SettingsFile;
  platform: NodeJS.Platform;
  say: Say;
}

export function createRecentAlbums({ settingsFile, platform, say }: RecentAlbumsDeps) {
  function draw(albums: readonly RecentAlbum[]): void {
    app.setJumpList([
      {
        type: 'custom',
        name: say('tray.recentAlbums'),
        items: albums.map(({ id, title }) => ({
          type: 'task',
          title,
          program: process.execPath,
          args: `tonearm://album/${id}`,
          iconPath: process.execPath,
          iconIndex: 0,
        })),
      },
    ]);
  }

  return {
    show({ player }: Status): void {
      if (platform !== 'win32' || player?.status !== 'playing' || !player.album) return;
      const { album } = player;
      const previousAlbums = settingsFile.get().recentAlbums;
      if (previousAlbums[0]?.id === album.id && previousAlbums[0].title === album.title) return;
      const recentAlbums = [album, ...previousAlbums.filter(({ id }) => id !== album.id)].slice(0, MAX_ALBUMS);
      settingsFile.change({ recentAlbums });
      draw(recentAlbums);
    },
  };
}
