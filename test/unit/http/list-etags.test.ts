import { expect, test } from 'vitest';
import { dataVersionOf } from '../../../server/db/data-version.ts';
import { createListVersion, listEtag } from '../../../server/http/list-etags.ts';
import { principal } from '../../support/principals.ts';
import { openTempDatabase } from '../../support/temp-database.ts';

const ann = principal(2, 'ann', false);

test('a list version changes with writes, the library and settings, and not with hidden writes', () => {
  const { db, close } = openTempDatabase();
  let changeCount = 0;
  const settingListeners: (() => unknown)[] = [];
  const settings = {
    onChange: (_names: unknown, listener: () => unknown) => {
      settingListeners.push(listener);
      return () => undefined;
    },
  };
  const createVersion = () => createListVersion({ db, settings, changes: { version: () => changeCount } } as never);
  const version = createVersion();
  const write = (): unknown => db.$client.exec("UPDATE change_counts SET changes = changes + 1 WHERE topic = 'plays'");
  const changes: [name: string, change: () => unknown, isVisible: boolean][] = [
    ['nothing', () => undefined, false],
    ['a write', write, true],
    ['a hidden write', () => dataVersionOf(db.$client).hide(() => void write()), false],
    ['a change of the library', () => changeCount++, true],
    ['a setting', () => settingListeners[0]?.(), true],
  ];
  for (const [name, change, isVisible] of changes) {
    const previousVersion = version();
    change();
    expect(version() !== previousVersion, name).toBe(isVisible);
  }
  expect(createVersion()(), 'another start').not.toBe(version());
  close();
});

test('a write that fails inside of a hidden one leaves the version as it is', () => {
  const { db, close } = openTempDatabase();
  const { current, hide } = dataVersionOf(db.$client);
  const version = current();
  expect(() =>
    hide(() => {
      db.$client.exec("UPDATE change_counts SET changes = changes + 1 WHERE topic = 'plays'");
      throw new Error('no more');
    }),
  ).toThrow('no more');
  expect(current()).toBe(version);
  close();
});

test('an ETag depends on the version, the account, its role and rights, and the address', () => {
  const etags = [
    listEtag('1', ann, '/tracks', {}),
    listEtag('2', ann, '/tracks', {}),
    listEtag('1', principal(3, 'bob', false), '/tracks', {}),
    listEtag('1', { ...ann, isSuperuser: true }, '/tracks', {}),
    listEtag('1', { ...ann, rights: { ...ann.rights, canEdit: !ann.rights.canEdit } }, '/tracks', {}),
    listEtag('1', ann, '/tracks?limit=5', {}),
  ];
  expect(new Set(etags).size).toBe(etags.length);
  expect(listEtag('1', ann, '/tracks', {})).toBe(etags[0]);
});

test('a random order has an ETag only with a seed', () => {
  expect(listEtag('1', ann, '/tracks', { sort: 'random' })).toBeUndefined();
  expect(listEtag('1', ann, '/tracks', { sort: 'random', seed: 0 })).toBeDefined();
});
