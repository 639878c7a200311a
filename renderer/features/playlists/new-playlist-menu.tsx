import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { PLAYLIST_FORMATS } from '../../../server/playlists/playlist-formats.ts';
import { usePlaylistCommands } from '../../music/use-playlist-commands.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { IconAdd, IconImport, IconPlaylist, IconRules } from '../../ui/theme/icons.ts';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';

const size = { size: 16, 'aria-hidden': true } as const;

/** A menu that is loaded on its first click and then opened. */
export function NewPlaylistMenu() {
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const { add, receive } = usePlaylistCommands();
  const file = useRef<HTMLInputElement>(null);
  const importFile = async (chosenFile: File) => {
    const result = await receive(chosenFile);
    if (!result) return;
    const unmatchedCount = result.unmatched.length;
    tell(
      unmatchedCount === 0
        ? t('playlist.imported', { count: result.matched, name: result.playlist.name })
        : t('playlist.importedSome', {
            count: unmatchedCount,
            matched: formatNumber(result.matched),
            name: result.playlist.name,
            lines: result.unmatched
              .slice(0, 3)
              .map(({ text }) => text)
              .join(', '),
          }),
    );
  };
  return (
    <>
      <Menu position="bottom-end" defaultOpened>
        <Menu.Target>
          <IconButton label={t('playlist.newLabel')} icon={IconAdd} iconSize={18} size="small" />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPlaylist {...size} />} onClick={() => void add()}>
            {t('playlist.new')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconRules {...size} />}
            renderRoot={(props) => <Link to="/playlists/new-smart" {...props} />}
          >
            {t('playlist.newSmart')}
          </Menu.Item>
          <Menu.Item leftSection={<IconImport {...size} />} onClick={() => file.current?.click()}>
            {t('playlist.import')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <input
        ref={file}
        type="file"
        hidden
        accept={Object.keys(PLAYLIST_FORMATS)
          .map((extension) => `.${extension}`)
          .join()}
        aria-label={t('playlist.importFile')}
        onChange={(event) => {
          const [chosenFile] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (chosenFile) void importFile(chosenFile);
        }}
      />
    </>
  );
}
