import { bool, setting, text, url, type ValuesOf } from '../setting.ts';

export const S3_SETTINGS = {
  S3_ENDPOINT: setting(url.optional(), { group: 'storage', restart: true, help: 'Address of the object store.' }),
  S3_REGION: setting(text.optional(), { group: 'storage', restart: true, help: 'Region of the object store.' }),
  S3_BUCKET: setting(text.optional(), {
    group: 'storage',
    restart: true,
    help: 'Bucket for audio, covers and backups.',
  }),
  S3_PREFIX: setting(text.optional(), { group: 'storage', restart: true, help: 'Prefix of all keys in the bucket.' }),
  S3_ACCESS_KEY_ID: setting(text.optional(), {
    group: 'storage',
    restart: true,
    secret: true,
    help: 'Access key of the object store.',
  }),
  S3_SECRET_ACCESS_KEY: setting(text.optional(), {
    group: 'storage',
    restart: true,
    secret: true,
    help: 'Secret key of the object store.',
  }),
  S3_FORCE_PATH_STYLE: setting(bool.default(false), {
    group: 'storage',
    restart: true,
    help: 'Use path-style URLs; required by many self-hosted stores.',
  }),
};
export type S3Settings = ValuesOf<typeof S3_SETTINGS>;
