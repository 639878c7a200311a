import { AppError } from '../errors.ts';
import type { BackendConfig, OpenOptions } from './backend.ts';
import { getBackend, missingSettings } from './backends.ts';
import type { Storage } from './storage.ts';

/**
 * The storage that is set, or another one for whoever moves objects between them. Throws `invalid`, naming the settings
 * that are missing.
 */
export async function openStorage(
  config: BackendConfig,
  options: OpenOptions = {},
  name: string = config.settings.STORAGE_BACKEND,
): Promise<Storage> {
  const backend = getBackend(name);
  const missing = missingSettings(backend, config.settings);
  if (missing.length > 0)
    throw new AppError('invalid', `${backend.title} needs ${missing.join(', ')}.`.replace(/^./, upper), {
      fields: missing.map((one) => ({ field: one.toLowerCase(), message: `is needed for ${backend.title}` })),
    });
  return backend.open(config, options);
}

const upper = (letter: string): string => letter.toUpperCase();
