// Secrets from files, as containers and systemd hand them over: S3_SECRET_ACCESS_KEY_FILE names the file that contains
// S3_SECRET_ACCESS_KEY.
import { closeSync, openSync, readSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { isSettingName } from './config.ts';
import { SETTING_NAMES, SETTINGS } from './settings.ts';

type Env = Record<string, string | undefined>;

const SUFFIX = '_FILE';
/** Longer files are refused, so that a device or a wrong path is not read into memory. */
const MAX_SECRET_BYTES = 65_536;

/**
 * Returns the environment with the secrets that it names by file. Throws `invalid` with the name of the variable if the
 * file cannot be read, is empty or too long, or if the secret is set as well.
 */
export function withSecretFiles(env: Env): Env {
  const completeEnv = { ...env };
  const variables = new Map(Object.entries(env).map(([name, value]) => [name.toUpperCase(), { name, value }]));
  for (const setting of SETTING_NAMES) {
    const fileVariable = variables.get(`${setting}${SUFFIX}`);
    if (!SETTINGS[setting].secret || !fileVariable?.value || isSettingName(`${setting}${SUFFIX}`)) continue;
    const { name, value: path } = fileVariable;
    if (variables.get(setting)?.value)
      throw new AppError('invalid', `Set either ${setting} or ${name}, not both of them.`);
    completeEnv[setting] = readSecret(name, path);
  }
  return completeEnv;
}

function readSecret(variable: string, path: string): string {
  const buffer = Buffer.alloc(MAX_SECRET_BYTES + 1);
  let length: number;
  try {
    const file = openSync(path, 'r');
    try {
      length = readSync(file, buffer);
    } finally {
      closeSync(file);
    }
  } catch (err) {
    throw new AppError('invalid', `${variable}: the file ${path} cannot be read (${(err as Error).message}).`);
  }
  if (length > MAX_SECRET_BYTES) throw new AppError('invalid', `${variable}: the file ${path} is too long.`);
  // editors and `echo` end the line
  const secret = buffer.toString('utf8', 0, length).replace(/\r?\n$/, '');
  if (secret === '') throw new AppError('invalid', `${variable}: the file ${path} is empty.`);
  return secret;
}
