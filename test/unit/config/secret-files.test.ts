import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withSecretFiles } from '../../../server/config/secret-files.ts';

let dir: string;
beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'tonearm-secret-files-'))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const fileOf = (content: string | Buffer): string => {
  const path = join(dir, `secret-${Math.random()}`);
  writeFileSync(path, content);
  return path;
};

describe('a secret in a file', () => {
  it.each(['s3 key', 's3 key\n', 's3 key\r\n'])('is taken without the end of its line (%j)', (content) => {
    const env = { S3_SECRET_ACCESS_KEY_FILE: fileOf(content), PORT: '1' };
    expect(withSecretFiles(env)).toEqual({ ...env, S3_SECRET_ACCESS_KEY: 's3 key' });
  });

  it('is found by its variable in lower case', () => {
    expect(withSecretFiles({ jwt_secret_file: fileOf('0123456789abcdef') })).toMatchObject({
      JWT_SECRET: '0123456789abcdef',
    });
  });

  it('may be a passphrase with spaces and lines', () => {
    expect(withSecretFiles({ BACKUP_PASSPHRASE_FILE: fileOf(' one\ntwo \n') })).toMatchObject({
      BACKUP_PASSPHRASE: ' one\ntwo ',
    });
  });

  it.each([
    ['a file that does not exist', () => ({ JWT_SECRET_FILE: join(dir, 'nowhere') }), /^JWT_SECRET_FILE: .*nowhere/],
    ['a folder', () => ({ JWT_SECRET_FILE: dir }), /^JWT_SECRET_FILE: .* cannot be read/],
    ['an empty file', () => ({ JWT_SECRET_FILE: fileOf('\n') }), /^JWT_SECRET_FILE: .* is empty\.$/],
    [
      'a long file',
      () => ({ JWT_SECRET_FILE: fileOf(Buffer.alloc(70_000, 'a')) }),
      /^JWT_SECRET_FILE: .* is too long\.$/,
    ],
    ['a secret that is set as well', () => ({ JWT_SECRET: 'a', JWT_SECRET_FILE: fileOf('b') }), /not both/],
  ])('%s is refused with the name of the variable', (_, env, message) => {
    expect(() => withSecretFiles(env())).toThrow(message);
  });

  it('is only taken for secrets: other settings whose names end like this keep their meaning', () => {
    const env = {
      LOG_FILE: fileOf('x'),
      HOST_FILE: fileOf('0.0.0.0'),
      STREAMSRC_COOKIES_FILE: '/nowhere',
      PATH: '/bin',
    };
    expect(withSecretFiles(env)).toEqual(env);
  });

  it('is ignored while its variable is empty', () => {
    expect(withSecretFiles({ JWT_SECRET: 'a', JWT_SECRET_FILE: '' })).toEqual({ JWT_SECRET: 'a', JWT_SECRET_FILE: '' });
  });
});
