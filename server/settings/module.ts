import type { Module } from '../module.ts';
import { settingsRoutes } from './routes.ts';
import { createSettingsService, type SettingsDeps } from './service.ts';

export function settingsModule({ version, ...deps }: SettingsDeps & { version: string }) {
  const settings = createSettingsService(deps);
  return {
    offers: settings,
    routes: settingsRoutes(settings, { version, secretStore: deps.secretStore }),
  } satisfies Module;
}
