// Pages, commands and settings, which are found by their names and by other words for them.
import { useNavigate } from '@tanstack/react-router';
import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { useStartScan } from '../../api/jobs.ts';
import { useSession } from '../../api/session.ts';
import { useMayHaveShares } from '../../api/shares.ts';
import { synonymsOf } from '../../i18n/synonyms.ts';
import { addMusic } from '../../music/add-music.ts';
import { usePlaces } from '../../music/places.ts';
import { useFindableSettings } from '../../music/use-findable-settings.ts';
import { usePlaylistCommands } from '../../music/use-playlist-commands.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import {
  IconAdd,
  IconDevices,
  IconKeyboard,
  IconLink,
  IconNextTrack,
  IconPin,
  IconPlay,
  IconPreviousTrack,
  IconQueue,
  IconRules,
  IconScan,
  IconSettings,
  IconShuffle,
  IconUp,
  IconUpload,
  type Icon,
} from '../../ui/theme/icons.ts';
import { openSettings } from '../../ui/open-window.ts';
import { chooseScheme, SCHEME_CHOICES } from '../../ui/theme/scheme.ts';
import { hasKeys, isInPalette, WINDOW_COMMANDS, type PaletteCommand } from './window-commands.ts';
import { WindowPartsContext } from './window-parts.ts';
import '../../i18n/device-texts.ts';
import '../../i18n/page-texts.ts';

export interface Command {
  name: string;
  synonyms: readonly string[];
  /** The group of the command, such as a section of the settings. */
  by: string;
  icon: Icon;
  run: () => void;
}

export function useWindowCommands(): Command[] {
  const { t } = useTranslation();
  const { onQueue, onPlayer, onShortcuts, onCustomize, onDevices } = useContext(WindowPartsContext);
  const places = usePlaces();
  const navigate = useNavigate();
  const player = usePlayerCommands();
  const playlists = usePlaylistCommands();
  const scan = useStartScan();
  const user = useSession()?.user;
  const mayHaveShares = useMayHaveShares();
  const isAllowed: Partial<Record<PaletteCommand['name'], boolean | undefined>> = {
    addMusic: user?.can_upload,
    scan: user?.is_superuser,
    sharedByYou: mayHaveShares,
  };
  const runs: Record<PaletteCommand['name'], [Icon, run: () => void]> = {
    playPause: [IconPlay, () => player.toggle()],
    next: [IconNextTrack, () => player.next()],
    previous: [IconPreviousTrack, () => player.previous()],
    shuffle: [IconShuffle, () => player.setShuffle(!player.getState().shuffle)],
    queue: [IconQueue, onQueue],
    fullScreen: [IconUp, onPlayer],
    devices: [IconDevices, onDevices],
    newPlaylist: [IconAdd, () => void playlists.add()],
    newSmartPlaylist: [IconRules, () => void navigate({ to: '/playlists/new-smart' })],
    addMusic: [IconUpload, () => addMusic()],
    sharedByYou: [IconLink, () => void navigate({ to: '/shares' })],
    scan: [IconScan, () => scan.mutate()],
    customize: [IconPin, onCustomize],
    settings: [IconSettings, () => openSettings()],
    help: [IconKeyboard, onShortcuts],
  };
  return [
    ...places.map(({ to, text, icon }) => ({
      name: t(text),
      synonyms: synonymsOf(text.slice(text.indexOf('.') + 1)),
      by: t('search.page'),
      icon,
      run: () => void navigate({ to }),
    })),
    ...WINDOW_COMMANDS.filter(isInPalette)
      .filter(({ name }) => isAllowed[name] ?? !(name in isAllowed))
      .map((command) => ({
        name: t(command.text),
        synonyms: synonymsOf(command.name),
        by: [t('search.command'), ...(hasKeys(command) ? command.keys.map((key) => t(`keys.${key}`)) : [])].join(' · '),
        icon: runs[command.name][0],
        run: runs[command.name][1],
      })),
    ...SCHEME_CHOICES.map((scheme) => ({
      name: `${t('scheme.label')}: ${t(`scheme.${scheme}`)}`,
      synonyms: synonymsOf(`scheme-${scheme}`),
      by: t('search.command'),
      icon: IconSettings,
      run: () => chooseScheme(scheme),
    })),
  ];
}

export function useSettingCommands(): Command[] {
  const { t } = useTranslation();
  return useFindableSettings().map(({ name, synonyms, section, value, address }) => ({
    name,
    synonyms,
    by: [`${t('nav.settings')} › ${t(`settings.section.${section}`)}`, value].filter(Boolean).join(' · '),
    icon: IconSettings,
    run: () => openSettings(address),
  }));
}
