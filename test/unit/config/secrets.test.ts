import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readJsonFile, writeJsonFile } from '../../../server/config/json-file.ts';
import { openSecretStore, type SecretStore } from '../../../server/config/secret-store.ts';
import { loadSecrets } from '../../../server/config/secrets.ts';
import { createLog } from '../../../server/log/log.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-secrets-'));
  file = join(dir, 'secrets.json');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const openFileStore = (path = file): Promise<SecretStore> =>
  openSecretStore({ file: path, requestedPlace: 'file', log: createLog('silent') });
const load = async (settings: Parameters<typeof loadSecrets>[0] = NO_SECRETS, path = file) =>
  loadSecrets(settings, await openFileStore(path), createLog('silent'));
const NO_SECRETS = { JWT_SECRET: undefined, COMPAT_SECRET_KEY: undefined };
const mode = (path: string): number => statSync(path).mode & 0o777;
const onUnix = it.skipIf(process.platform === 'win32');

describe('the secrets file', () => {
  it('is created once, with two random keys of 32 bytes', async () => {
    const createdSecrets = await load();
    expect(Buffer.from(createdSecrets.jwtSecret, 'base64url')).toHaveLength(32);
    expect(Buffer.from(createdSecrets.compatSecretKey, 'base64url')).toHaveLength(32);
    expect(createdSecrets.jwtSecret).not.toBe(createdSecrets.compatSecretKey);
    expect(await load(), 'at the next start').toEqual(createdSecrets);
    expect(readdirSync(dir), 'no temporary file is left').toEqual(['secrets.json']);
  });

  it('is created together with its folder', async () => {
    await load(NO_SECRETS, join(dir, 'new', 'secrets.json'));
    expect(existsSync(join(dir, 'new', 'secrets.json'))).toBe(true);
  });

  onUnix('can be read by its owner alone, and is closed again when something opened it', async () => {
    const store = await openFileStore();
    await loadSecrets(NO_SECRETS, store, createLog('silent'));
    expect(mode(file)).toBe(0o600);
    chmodSync(file, 0o644);
    await store.get('JWT_SECRET');
    expect(mode(file)).toBe(0o600);
  });

  it('is not changed for secrets from the settings', async () => {
    const givenSecrets = { JWT_SECRET: 'from-the-environment', COMPAT_SECRET_KEY: 'from-the-environment-too' };
    expect(await load(givenSecrets)).toEqual({
      jwtSecret: givenSecrets.JWT_SECRET,
      compatSecretKey: givenSecrets.COMPAT_SECRET_KEY,
    });
    expect(existsSync(file)).toBe(false);
    await load({ ...NO_SECRETS, JWT_SECRET: givenSecrets.JWT_SECRET });
    expect(Object.keys(readJsonFile(file))).toEqual(['COMPAT_SECRET_KEY']);
  });

  it('is not needed for a short secret from the settings, which is made expensive to guess', async () => {
    const stretchedSecrets = await load({ JWT_SECRET: 'short', COMPAT_SECRET_KEY: 'short' });
    expect(Buffer.from(stretchedSecrets.jwtSecret, 'base64url')).toHaveLength(32);
    expect(stretchedSecrets.compatSecretKey).not.toBe(stretchedSecrets.jwtSecret);
    expect(await load({ JWT_SECRET: 'short', COMPAT_SECRET_KEY: 'short' }), 'on any machine').toEqual(stretchedSecrets);
  });

  it('keeps other entries', async () => {
    writeFileSync(file, JSON.stringify({ note: 'mine', COMPAT_SECRET_KEY: 'a-key-of-enough-characters' }));
    const secrets = await load();
    expect(secrets.compatSecretKey).toBe('a-key-of-enough-characters');
    expect(readJsonFile(file)).toMatchObject({ note: 'mine', JWT_SECRET: secrets.jwtSecret });
  });

  it.each(['', '{', 'null', '[]', '"text"', '{"JWT_SECRET": "x"', '\u0000\u0000'])(
    'is rejected and not changed when it is invalid: %j',
    async (text) => {
      writeFileSync(file, text);
      await expect(load()).rejects.toThrow(/secrets\.json is damaged.*Repair it, restore it/);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it.each([1, null, '', 'too-short', ['x'], {}])(
    'is rejected when a secret in it is %j, which is not in the message',
    async (value) => {
      writeFileSync(file, JSON.stringify({ JWT_SECRET: value }));
      await expect(load()).rejects.toThrow(
        /secrets\.json is damaged: JWT_SECRET is not text of at least 16 characters/,
      );
    },
  );

  it('is an error when it cannot be read', async () => {
    mkdirSync(file);
    await expect(load()).rejects.toThrow(/secrets\.json cannot be read/);
  });
});

describe('a small JSON file', () => {
  it('is undefined when it does not exist, and may start with a byte order mark', () => {
    expect(readJsonFile(join(dir, 'none.json'))).toEqual({});
    writeFileSync(file, '\uFEFF{"port": 1}');
    expect(readJsonFile(file)).toEqual({ port: 1 });
  });

  it('replaces an older one completely, despite leftovers of a crash', () => {
    writeFileSync(file, '{"old": true}');
    writeFileSync(`${file}.${process.pid}.tmp`, 'half');
    writeJsonFile(file, { new: true });
    expect(readJsonFile(file)).toEqual({ new: true });
    expect(readdirSync(dir)).toEqual(['secrets.json']);
  });

  it('reports why it cannot be written, and leaves nothing behind', () => {
    mkdirSync(file);
    writeFileSync(join(file, 'x'), '');
    expect(() => writeJsonFile(file, {})).toThrow(/secrets\.json cannot be written/);
    expect(readdirSync(dir)).toEqual(['secrets.json']);
  });
});
