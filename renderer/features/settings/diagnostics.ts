// Diagnostics for bug reports: versions, sizes, and settings that differ from their defaults. Plain English, without
// secrets, paths or addresses.
import type { StorageStatsOut } from '../../../server/stats/wire.ts';
import type { ServerOut, SettingOut } from '../../api/routes.ts';

interface Facts {
  server: ServerOut;
  settings: SettingOut[];
  storage: StorageStatsOut | undefined;
  browser: string;
}

/**
 * Returns whether a value may be published: switches, numbers and choices are harmless, texts may identify the user.
 */
const isHarmless = ({ value, choices }: SettingOut): boolean => typeof value !== 'string' || choices !== undefined;

export function diagnostics({ server, settings, storage, browser }: Facts): string {
  const changedSettings = settings.filter(({ origin }) => origin !== 'default');
  return [
    `Tonearm ${server.version}`,
    `Server: ${server.platform}, Node ${server.node}`,
    `Browser: ${browser}`,
    ...(storage
      ? [
          `Library: ${storage.tracks} tracks, ${storage.albums} albums, ${storage.artists} artists, ` +
            `${storage.size_bytes} bytes`,
          `Formats: ${storage.by_format.map(({ key, tracks }) => `${key} ${tracks}`).join(', ')}`,
        ]
      : []),
    ...changedSettings.map((setting) => {
      const value = setting.secret || !isHarmless(setting) ? '(set)' : String(setting.value);
      return `${setting.key} = ${value} [${setting.origin}]${setting.restart_pending ? ' restart needed' : ''}`;
    }),
  ].join('\n');
}
