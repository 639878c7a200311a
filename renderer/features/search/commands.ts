// The window's commands and settings, searchable by name.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStartScan } from '../../api/jobs.ts';
import { useSession } from '../../api/session.ts';
import { settingsQuery } from '../../api/settings.ts';
import { addSettingTexts, labelOf } from '../../i18n/setting-texts.ts';
import { usePlaylistCommands } from '../../music/use-playlist-commands.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import {
  IconAdd,
  IconKeyboard,
  IconNextTrack,
  IconPlay,
  IconPreviousTrack,
  IconQueue,
  IconRules,
  IconScan,
  IconSettings,
  IconShuffle,
  IconUp,
  type Icon,
} from '../../ui/theme/icons.ts';
import { openSettings } from '../../ui/open-window.ts';
import { chooseScheme, SCHEME_CHOICES } from '../../ui/theme/scheme.ts';
import { WindowPartsContext } from './window-parts.ts';
import '../../i18n/page-texts.ts';

export interface Command {
  name: string;
  /** The group of the command, such as a section of the settings. */
  by: string;
  icon: Icon;
  run: () => void;
}

export function useWindowCommands(): Command[] {
  const { t } = useTranslation();
  const { pages, onQueue, onPlayer, onShortcuts } = useContext(WindowPartsContext);
  const navigate = useNavigate();
  const player = usePlayerCommands();
  const playlists = usePlaylistCommands();
  const scan = useStartScan();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const command = (name: string, icon: Icon, run: () => void): Command => ({
    name,
    by: t('search.command'),
    icon,
    run,
  });
  return [
    ...pages.map(({ to, label, icon }) => ({
      name: label,
      by: t('search.page'),
      icon,
      run: () => void navigate({ to }),
    })),
    command(t('player.playOrPause'), IconPlay, () => player.toggle()),
    command(t('player.next'), IconNextTrack, () => player.next()),
    command(t('player.previous'), IconPreviousTrack, () => player.previous()),
    command(t('player.shuffle'), IconShuffle, () => player.setShuffle(!player.getState().shuffle)),
    command(t('player.fullScreen'), IconUp, onPlayer),
    command(t('queue.queue'), IconQueue, onQueue),
    command(t('playlist.new'), IconAdd, () => void playlists.add()),
    command(t('playlist.newSmart'), IconRules, () => void navigate({ to: '/playlists/new-smart' })),
    ...(isOwner ? [command(t('scan.start'), IconScan, () => scan.mutate())] : []),
    ...SCHEME_CHOICES.map((scheme) =>
      command(`${t('scheme.label')}: ${t(`scheme.${scheme}`)}`, IconSettings, () => chooseScheme(scheme)),
    ),
    command(t('shortcuts.title'), IconKeyboard, onShortcuts),
    command(t('nav.settings'), IconSettings, () => openSettings()),
  ];
}

/** Sections that everybody has; the server's settings are only for its owner. */
const SECTIONS = ['general', 'metadata', 'network', 'playback', 'accounts', 'about'] as const;

export function useSettingCommands(): Command[] {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const { data } = useQuery({ ...settingsQuery(), enabled: isOwner });
  useState(addSettingTexts);
  return [
    ...SECTIONS.map((section) => ({
      name: t(`settings.section.${section}`),
      by: t('nav.settings'),
      icon: IconSettings,
      run: () => openSettings(section),
    })),
    ...(data?.items ?? []).map((setting) => {
      const section = setting.group === 'backup' ? 'storage' : setting.group;
      return {
        name: labelOf(setting),
        by: t(`settings.section.${section}`),
        icon: IconSettings,
        run: () => openSettings(section),
      };
    }),
  ];
}
