import { createMusicFolders } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import type { Module } from '../module.ts';
import { settingsRoutes } from './routes.ts';
import { createSettingsService, type SettingsDeps } from './service.ts';

export function settingsModule({ version, db, ...deps }: SettingsDeps & { db: MainDb; version: string }) {
  const settings = createSettingsService(deps);
  return {
    offers: { settings, musicFolders: createMusicFolders({ db, settings }) },
    routes: settingsRoutes(settings, { version, secretStore: deps.secretStore }),
  } satisfies Module;
}
