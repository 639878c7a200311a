// Every setting that people can look for, with its section and its place there. The palette and the search of the
// settings window are made from this list. The address of a setting is /settings#SECTION/SETTING.
import type { TFunction } from 'i18next';
import type { SettingOut } from '../api/routes.ts';
import { choiceLabel, labelOf } from '../i18n/setting-texts.ts';
import { synonymsOf } from '../i18n/synonyms.ts';
import { isForOwner, settingName, type SectionName } from './setting-sections.ts';
import { formatBytes, formatNumber } from '../ui/format.ts';

interface PlaceOfSetting {
  /** Name in the address. */
  name: string;
  section: SectionName;
  /** The key of its title. */
  text: string;
  /** Who has it, besides those who have the section. */
  only?: 'owner' | 'app' | 'jukebox';
}

/** Settings that the windows define; those of the server come from the server. */
const OWN_SETTINGS = [
  { name: 'theme', section: 'general', text: 'scheme.label' },
  { name: 'language', section: 'general', text: 'settings.general.language' },
  { name: 'app', section: 'general', text: 'settings.desktop.title', only: 'app' },
  { name: 'app-openAtLogin', section: 'general', text: 'settings.desktop.openAtLogin', only: 'app' },
  { name: 'app-keepRunning', section: 'general', text: 'settings.desktop.keepRunning', only: 'app' },
  { name: 'app-mediaKeys', section: 'general', text: 'settings.desktop.mediaKeys', only: 'app' },
  { name: 'app-notifyTracks', section: 'general', text: 'settings.desktop.notifyTracks', only: 'app' },
  { name: 'app-playerOnTop', section: 'general', text: 'settings.desktop.playerOnTop', only: 'app' },
  { name: 'app-lookForUpdates', section: 'general', text: 'settings.desktop.lookForUpdates', only: 'app' },
  { name: 'music-folders', section: 'library', text: 'settings.folders.title' },
  { name: 'last-scan', section: 'library', text: 'settings.library.lastScan' },
  { name: 'storage-space', section: 'storage', text: 'settings.storage.used' },
  { name: 'backups', section: 'storage', text: 'settings.backup.title' },
  { name: 'transfer', section: 'storage', text: 'settings.transfer.title' },
  { name: 'share', section: 'network', text: 'settings.network.shareSwitch', only: 'owner' },
  { name: 'app-password', section: 'network', text: 'settings.phone.password' },
  { name: 'phone-apps', section: 'network', text: 'settings.phone.apps' },
  { name: 'jukebox', section: 'network', text: 'speaker.be', only: 'jukebox' },
  { name: 'crossfade', section: 'playback', text: 'settings.playback.crossfade' },
  { name: 'replay-gain', section: 'playback', text: 'settings.playback.replayGain' },
  { name: 'preamp', section: 'playback', text: 'settings.playback.preamp' },
  { name: 'sleep-timer', section: 'playback', text: 'playback.sleep' },
  { name: 'output-device', section: 'playback', text: 'equalizer.device' },
  { name: 'quality', section: 'playback', text: 'equalizer.unmetered' },
  { name: 'quality-metered', section: 'playback', text: 'equalizer.metered' },
  { name: 'equalizer', section: 'playback', text: 'equalizer.title' },
  { name: 'rights', section: 'account', text: 'settings.rights.title' },
  { name: 'privacy', section: 'account', text: 'settings.account.hide' },
  { name: 'password', section: 'account', text: 'settings.own.title' },
  { name: 'app-passwords', section: 'account', text: 'settings.appPasswords.title' },
  { name: 'scrobbling', section: 'account', text: 'settings.scrobbling.title' },
  { name: 'sessions', section: 'account', text: 'settings.sessions.title' },
  { name: 'users', section: 'accounts', text: 'settings.people.title' },
  { name: 'add-user', section: 'accounts', text: 'settings.people.add' },
  { name: 'version', section: 'about', text: 'settings.about.version' },
  { name: 'diagnostics', section: 'about', text: 'settings.about.diagnostics' },
  { name: 'licenses', section: 'about', text: 'settings.about.licences' },
] as const satisfies readonly PlaceOfSetting[];

export type OwnSettingName = (typeof OWN_SETTINGS)[number]['name'];

/** Settings of the server that are changed elsewhere in their section. */
const MOVED: Readonly<Record<string, OwnSettingName>> = {
  local_media_import_path: 'music-folders',
  local_media_import_mode: 'music-folders',
};

export interface FoundSetting {
  name: string;
  synonyms: readonly string[];
  section: SectionName;
  /** The present value in words; empty for settings that have none or that are secret. */
  value: string;
  /** What follows the # in the address of the settings window. */
  address: string;
}

/** Who looks for settings. */
interface Seeker {
  isOwner: boolean;
  isApp: boolean;
  canJukebox: boolean;
}

/** Returns every setting that this account may change. `server` are the settings of the server. */
export function findableSettings(
  { isOwner, isApp, canJukebox }: Seeker,
  server: readonly SettingOut[],
  t: TFunction,
  valueOf: (name: string) => string | undefined = () => undefined,
): FoundSetting[] {
  const isGiven = { owner: isOwner, app: isApp, jukebox: canJukebox };
  const ownSettings = (OWN_SETTINGS as readonly PlaceOfSetting[])
    .filter(({ section, only }) => (isOwner || !isForOwner(section)) && (only === undefined || isGiven[only]))
    .map(({ name, section, text }) => ({
      name: (t as (key: string) => string)(text),
      synonyms: synonymsOf(name),
      section,
      value: valueOf(name) ?? '',
      address: `${section}/${name}`,
    }));
  if (!isOwner) return ownSettings;
  return [
    ...ownSettings,
    ...server.map((setting) => {
      const section = setting.group === 'backup' ? 'storage' : setting.group;
      return {
        name: labelOf(setting),
        synonyms: synonymsOf(setting.key),
        section,
        value: valueText(setting, t),
        address: `${section}/${MOVED[setting.key] ?? settingName(setting.key)}`,
      };
    }),
  ];
}

const MAX_VALUE_LENGTH = 40;

function valueText(setting: SettingOut, t: TFunction): string {
  const { value, choices, unit } = setting;
  if (value === null) return '';
  if (typeof value === 'boolean') return t(value ? 'settings.find.on' : 'settings.find.off');
  if (choices) return choiceLabel(setting, String(value));
  if (typeof value === 'number') return unit === 'bytes' ? formatBytes(value) : formatNumber(value);
  return value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value;
}
