// Tests an object store before it is used, with the saved settings and those that are entered but not saved yet.
import { parseSetting, type Config } from '../config/config.ts';
import type { SettingName, Settings } from '../config/settings.ts';
import { AppError } from '../errors.ts';
import type { SettingsService } from '../settings/service.ts';
import { openStorage, getTestedBackend } from '../storage/backends.ts';
import { probeStorage } from '../storage/probe.ts';

/** Limits of the test, short since a person waits for the result. */
const STORE_LIMITS = { connectMs: 5_000, silenceMs: 10_000, attempts: 1 };

export interface StoreTestDeps {
  config: Config;
  settings: Pick<SettingsService, 'list'>;
}

export type StoreTest = ReturnType<typeof createStoreTest>;

export function createStoreTest({ config, settings }: StoreTestDeps) {
  /**
   * Returns a sentence that says what is wrong, or null. In `enteredSettings`, null stands for a default; absent
   * settings are as saved.
   */
  return async (enteredSettings: Partial<Record<SettingName, unknown>>): Promise<string | null> => {
    try {
      const savedSettings = Object.fromEntries(settings.list().map(({ name, value }) => [name, value]));
      const parsedSettings = Object.fromEntries(
        Object.entries(enteredSettings).map(([name, value]) => [
          name,
          parseSetting(name as SettingName, value === '' ? undefined : value),
        ]),
      );
      const nextSettings: Settings = { ...config.settings, ...savedSettings, ...parsedSettings };
      const storage = await openStorage(
        { ...config, settings: nextSettings },
        { storeLimits: STORE_LIMITS },
        getTestedBackend(nextSettings).name,
      );
      await probeStorage(storage).finally(() => storage.close?.());
      return null;
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
  };
}
