import { z } from 'zod';
import { bool, setting, text, url, type SettingTable, type ValuesOf } from '../setting-kinds.ts';
import { PROVIDER_NAMES } from './s3-providers.ts';

export const S3_SETTINGS = {
  S3_PROVIDER: setting(z.enum(PROVIDER_NAMES).optional(), {
    kind: 'address',
    group: 'storage',
    restart: true,
    help: 'Provider of the object store; sets the address, the region and the style of URLs where they are known.',
  }),
  S3_ENDPOINT: setting(url.optional(), {
    kind: 'address',
    group: 'storage',
    restart: true,
    help: 'Address of the object store.',
  }),
  S3_REGION: setting(text.optional(), {
    kind: 'address',
    group: 'storage',
    restart: true,
    help: 'Region of the object store.',
  }),
  S3_BUCKET: setting(text.optional(), {
    kind: 'address',
    group: 'storage',
    restart: true,
    help: 'Bucket for audio and covers.',
  }),
  S3_PREFIX: setting(text.optional(), {
    kind: 'address',
    group: 'storage',
    restart: true,
    help: 'Prefix of all keys in the bucket.',
  }),
  S3_ACCESS_KEY_ID: setting(text.optional(), {
    kind: 'secret',
    group: 'storage',
    restart: true,
    help: 'Access key of the object store.',
  }),
  S3_SECRET_ACCESS_KEY: setting(text.optional(), {
    kind: 'secret',
    group: 'storage',
    restart: true,
    help: 'Secret key of the object store.',
  }),
  S3_FORCE_PATH_STYLE: setting(bool.default(false), {
    kind: 'plain',
    group: 'storage',
    restart: true,
    help: 'Use path-style URLs; required by many self-hosted stores. S3_PROVIDER may turn it on, too.',
  }),
  S3_CHECKSUMS: setting(z.enum(['auto', 'always', 'never']).default('auto'), {
    kind: 'plain',
    group: 'storage',
    advanced: true,
    restart: true,
    help: 'Send a checksum with each request: auto sends none if the store refuses them.',
  }),
};
export type S3Settings = ValuesOf<typeof S3_SETTINGS>;
const backupName = (name: string): string => `BACKUP_${name}`;

/** The S3 settings for backups; none of them defaults to the library's setting. */
export const BACKUP_S3_SETTINGS: SettingTable = Object.fromEntries(
  Object.entries(S3_SETTINGS).map(([name, definition]) => [
    backupName(name),
    {
      ...definition,
      group: 'backup' as const,
      onlyFor: { setting: 'BACKUP_TARGET', values: ['s3'] },
      help:
        name === 'S3_BUCKET' ? 'Bucket for backups.' : `For backups: ${definition.help.replace('S3_', 'BACKUP_S3_')}`,
    },
  ]),
);

/** Returns the values of the settings for backups, under the names of those for the library. */
export const readBackupSettings = (settings: Readonly<Record<string, unknown>>): S3Settings =>
  Object.fromEntries(Object.keys(S3_SETTINGS).map((name) => [name, settings[backupName(name)]])) as S3Settings;

/** Replaces the names of settings in a message with those for backups. */
export const withBackupNames = (message: string): string => message.replaceAll(/\bS3_[A-Z_]+/g, backupName);

/** The reverse of readBackupSettings, without settings that are not set. */
export const toBackupSettings = (values: Partial<S3Settings>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name, value]) => name in S3_SETTINGS && value !== undefined)
      .map(([name, value]) => [backupName(name), value]),
  );
