// Moving secrets between the file and the keychain, also with crashes and a missing keychain.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../server/config/config.ts';
import { readJsonFile } from '../../../server/config/json-file.ts';
import { findBusSocket } from '../../../server/config/keychain.ts';
import { openSecretStore, type SecretStoreOptions } from '../../../server/config/secret-store.ts';
import { moveWrittenSecrets, readStoredSettings, addStoredSettings } from '../../../server/config/secrets.ts';
import { createLog } from '../../../server/log/log.ts';
import { createFakeKeychain, type FakeKeychain } from '../../fakes/keychain.ts';
import { holdLimit, type HeldLimit } from '../../support/held-limit.ts';

let dir: string;
let file: string;
let keychain: FakeKeychain;
let limit: HeldLimit;
beforeEach(() => {
  limit = holdLimit(PROBE_MS);
  dir = mkdtempSync(join(tmpdir(), 'tonearm-store-'));
  file = join(dir, 'secrets.json');
  keychain = createFakeKeychain();
  keychain.onSilence = () => void limit.runOut();
});
afterEach(() => {
  limit.release();
  rmSync(dir, { recursive: true, force: true });
});

const PROBE_MS = 600_001;
const [JWT_SECRET, COMPAT_KEY] = ['the-secret-of-all-tokens', 'the-key-of-app-passwords'];
const open = (requestedPlace: SecretStoreOptions['requestedPlace'], packages = [keychain]) =>
  openSecretStore({ file, requestedPlace, log: createLog('silent'), packages, probeMs: PROBE_MS });
const writeSettings = (content: object): void => writeFileSync(file, JSON.stringify(content));
const text = (): string => readFileSync(file, 'utf8');
const values = (): string[] => [...keychain.entries.values()].sort();

it('secrets are moved to a keychain that becomes available, and removed from the file', async () => {
  writeSettings({ JWT_SECRET, COMPAT_SECRET_KEY: COMPAT_KEY, note: 'mine' });
  const store = await open('auto');
  expect([store.place, store.keychainFault]).toEqual(['keychain', undefined]);
  expect([await store.get('JWT_SECRET'), await store.get('COMPAT_SECRET_KEY')]).toEqual([JWT_SECRET, COMPAT_KEY]);
  expect(text()).not.toMatch(/the-secret|the-key/);
  expect(readJsonFile(file)).toEqual({
    note: 'mine',
    keychain: {
      package: 'keyring',
      library: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      names: ['JWT_SECRET', 'COMPAT_SECRET_KEY'],
    },
  });
  expect(values()).toEqual([COMPAT_KEY, JWT_SECRET]);
});

it('secrets in the keychain stay there and are found at every start, without the setting', async () => {
  writeSettings({ JWT_SECRET });
  await open('auto');
  for (const storeChoice of ['keep', 'auto', 'keychain'] as const)
    expect(await (await open(storeChoice)).get('JWT_SECRET')).toBe(JWT_SECRET);
  expect(values()).toEqual([JWT_SECRET]);
});

it('a keychain is not used unless the setting says so', async () => {
  keychain.open = () => {
    throw new Error('was asked');
  };
  for (const storeChoice of ['keep', 'file'] as const)
    expect(await open(storeChoice)).toMatchObject({ place: 'file', keychainFault: undefined });
});

it.each(['absent', 'silent', 'lies'] as const)(
  'with a keychain that is %s the secrets stay in the file, with the reason',
  async (fault) => {
    writeSettings({ JWT_SECRET });
    keychain.fault = fault;
    const store = await open('auto');
    expect(store.place).toBe('file');
    expect(store.keychainFault).toMatch(
      { absent: /Cannot find package/, silent: /no answer within/, lies: /did not return what was stored/ }[fault],
    );
    expect(await store.get('JWT_SECRET')).toBe(JWT_SECRET);
    await expect(open('keychain')).rejects.toThrow(/SECRET_STORE = keychain/);
    expect(readJsonFile(file)).toEqual({ JWT_SECRET });
  },
);

it('the next package is tried when one fails', async () => {
  const [brokenKeychain, workingKeychain] = [createFakeKeychain('keytar'), keychain];
  brokenKeychain.fault = 'lies';
  writeSettings({ JWT_SECRET });
  await open('auto', [brokenKeychain, workingKeychain]);
  expect(readJsonFile(file)).toMatchObject({ keychain: { package: 'keyring' } });
  brokenKeychain.fault = undefined;
  expect(
    await (await open('auto', [brokenKeychain, workingKeychain])).get('JWT_SECRET'),
    'and it stays, since the other one does not see what is there',
  ).toBe(JWT_SECRET);
});

it.each([0, 1, 2])(
  'a move that is interrupted after %i writes loses nothing, and the next try completes it',
  async (completedWrites) => {
    writeSettings({ JWT_SECRET, COMPAT_SECRET_KEY: COMPAT_KEY });
    keychain.fault = { breaksAfter: completedWrites + 1 }; // the probe writes first
    const store = await open('auto');
    expect([await store.get('JWT_SECRET'), await store.get('COMPAT_SECRET_KEY')]).toEqual([JWT_SECRET, COMPAT_KEY]);
    keychain.fault = undefined;
    await open('auto');
    expect(values()).toEqual([COMPAT_KEY, JWT_SECRET]);
    expect(text()).not.toMatch(/the-secret|the-key/);
  },
);

it('after a crash between the two writes keychain and file are equal, and the file is used', async () => {
  writeSettings({ JWT_SECRET, keychain: { package: 'keyring', library: 'abc', names: ['JWT_SECRET'] } });
  keychain.entries.set('abc:JWT_SECRET', JWT_SECRET);
  expect(await (await open('keep')).get('JWT_SECRET')).toBe(JWT_SECRET);
  keychain.fault = 'absent';
  expect(await (await open('auto')).get('JWT_SECRET'), 'without the keychain').toBe(JWT_SECRET);
});

it('moving secrets back to the file removes them from the keychain', async () => {
  writeSettings({ JWT_SECRET });
  await open('auto');
  const store = await open('file');
  expect([store.place, await store.get('JWT_SECRET')]).toEqual(['file', JWT_SECRET]);
  expect(values()).toEqual([]);
  expect(readJsonFile(file)).toEqual({ JWT_SECRET });
  expect(statSync(file).mode & 0o077 & (process.platform === 'win32' ? 0 : 0o777)).toBe(0);
});

it('moving back works even if deleting from the keychain fails', async () => {
  writeSettings({ JWT_SECRET });
  await open('auto');
  const openFake = keychain.open;
  keychain.open = async () => ({
    ...(await openFake()),
    delete: async (account) => {
      if (account.startsWith('probe')) keychain.entries.delete(account);
      else throw new Error('may not be deleted');
    },
  });
  expect(await (await open('file')).get('JWT_SECRET')).toBe(JWT_SECRET);
});

it.each(['keep', 'auto', 'keychain', 'file'] as const)(
  'without its keychain the server does not start (%s), and generates no new keys',
  async (storeChoice) => {
    writeSettings({ JWT_SECRET });
    await open('auto');
    keychain.fault = 'absent';
    const previousText = text();
    await expect(open(storeChoice)).rejects.toThrow(
      /in the system’s keychain, which is not available .*new keys would invalidate/,
    );
    expect(text()).toBe(previousText);
  },
);

it('a secret that is missing in the keychain is not generated again', async () => {
  writeSettings({ JWT_SECRET });
  await open('auto');
  keychain.entries.clear();
  await expect((await open('auto')).get('JWT_SECRET')).rejects.toThrow(
    /JWT_SECRET is missing from the system’s keychain/,
  );
});

it('settings are set, replaced and removed only in the keychain', async () => {
  const store = await open('auto');
  await store.set('setting.fpid_api_key', 'first');
  await store.set('setting.fpid_api_key', 'second');
  expect(values()).toEqual(['second']);
  expect(await readStoredSettings(store)).toEqual({ FPID_API_KEY: 'second' });
  expect(text()).not.toContain('second');
  await store.delete('setting.fpid_api_key');
  expect([values(), await store.get('setting.fpid_api_key')]).toEqual([[], undefined]);
});

it('two libraries in one keychain do not see each other', async () => {
  const firstStore = await open('auto');
  await firstStore.set('JWT_SECRET', JWT_SECRET);
  file = join(dir, 'other.json');
  const secondStore = await open('auto');
  expect(await secondStore.get('JWT_SECRET')).toBeUndefined();
  await secondStore.set('JWT_SECRET', COMPAT_KEY);
  expect(await firstStore.get('JWT_SECRET')).toBe(JWT_SECRET);
});

describe.each(['file', 'keychain'] as const)('secrets that somebody writes into settings.json', (place) => {
  const settings = (): string => join(dir, 'settings.json');
  const start = async (content: object, storeChoice: 'auto' | 'file' = place === 'file' ? 'file' : 'auto') => {
    writeFileSync(settings(), JSON.stringify(content));
    const config = loadConfig({ file: readJsonFile(settings()), env: { DATA_DIR: dir } });
    const store = await open(storeChoice);
    expect(store.place).toBe(place);
    await moveWrittenSecrets(config, store, createLog('silent'));
    return addStoredSettings(config, store);
  };

  it('are moved to the secret store, and the rest stays', async () => {
    const firstStart = await start({ STREAMSRC_PASSWORD: 'by hand', fpid_api_key: '', contact: 'me@example.org' });
    expect(firstStart.settings.STREAMSRC_PASSWORD).toBe('by hand');
    expect(readJsonFile(settings())).toEqual({ contact: 'me@example.org' });
    const secondStart = await start(readJsonFile(settings()));
    expect([secondStart.settings.STREAMSRC_PASSWORD, secondStart.origins.STREAMSRC_PASSWORD]).toEqual([
      'by hand',
      'file',
    ]);
    expect(secondStart.origins.FPID_API_KEY).toBe('default');
  });

  it('replace the stored secrets', async () => {
    await start({ streamsrc_password: 'an old one' });
    expect((await start({ streamsrc_password: 'the new one' })).settings.STREAMSRC_PASSWORD).toBe('the new one');
    expect((await start({})).settings.STREAMSRC_PASSWORD).toBe('the new one');
  });

  it('stay in effect when they cannot be moved', async () => {
    await start({ streamsrc_password: 'an old one' });
    // the temporary name of settings.json while it is written
    mkdirSync(`${settings()}.${process.pid}.tmp`);
    const config = await start({ streamsrc_password: 'the new one' });
    expect(config.settings.STREAMSRC_PASSWORD).toBe('the new one');
    expect(readJsonFile(settings())).toEqual({ streamsrc_password: 'the new one' });
  });
});

it('the environment wins over a stored secret', async () => {
  const store = await open('file');
  await store.set('setting.fpid_api_key', 'stored');
  const config = await addStoredSettings(
    loadConfig({ file: {}, env: { DATA_DIR: dir, FPID_API_KEY: 'given' } }),
    store,
  );
  expect([config.settings.FPID_API_KEY, config.origins.FPID_API_KEY]).toEqual(['given', 'env']);
});

it.each([
  { keychain: true },
  { keychain: { package: 'keyring' } },
  { 'setting.fpid_api_key': '' },
  { 'setting.fpid_api_key': 7 },
])('a file with %j in it is rejected', async (content) => {
  writeSettings(content);
  await expect(open('file')).rejects.toThrow(/is damaged/);
});

it.each([
  ['unix:path=/run/user/1000/bus', undefined, '/run/user/1000/bus'],
  ['unix:path=/tmp/a%20b,guid=12', undefined, '/tmp/a b'],
  ['unix:guid=12,path=/tmp/bus', undefined, '/tmp/bus'],
  ['unix:abstract=/tmp/dbus-x,guid=12', undefined, '\0/tmp/dbus-x'],
  ['tcp:host=localhost,port=1;unix:path=/tmp/bus', undefined, '/tmp/bus'],
  ['tcp:host=localhost,port=1', '/nowhere', undefined],
  [undefined, '/nowhere', undefined],
  [undefined, undefined, undefined],
])('the session bus %j with the folder %j is at %j', (address, folder, expected) => {
  expect(findBusSocket(address, folder)).toBe(expected);
});
