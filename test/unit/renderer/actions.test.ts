// Tests which actions are offered for which items.
import { expect, it } from 'vitest';
import {
  ACTIONS,
  actionOfKey,
  actionsFor,
  needsOwn,
  type ActionName,
  type Asker,
} from '../../../renderer/music/actions.ts';
import type { ItemKind, Items } from '../../../renderer/music/items.ts';
import en from '../../../resources/languages/en.json' with { type: 'json' };

const ITEM_KINDS: ItemKind[] = ['track', 'album', 'artist', 'genre', 'playlist', 'folder'];
const ALL_RIGHTS = {
  can_edit: true,
  can_upload: true,
  can_download: true,
  can_share: true,
  can_jukebox: true,
  can_podcast: true,
};
const OWNER: Asker = { userId: 1, isOwner: true, rights: ALL_RIGHTS, hasPages: true };
const LISTENER: Asker = { ...OWNER, isOwner: false, rights: { ...ALL_RIGHTS, can_edit: false } };

const makeItems = (kind: ItemKind, count = 1, item: object = { id: 7, name: 'Seven', title: 'Seven' }): Items =>
  ({
    kind,
    count,
    name: 'Seven',
    only: count === 1 ? item : undefined,
    each: async () => [],
    load: async () => [],
  }) as unknown as Items;
const listActionNames = (items: Items, user = OWNER): ActionName[] =>
  actionsFor(items, user)
    .flat()
    .map(({ name }) => name);

it.each(ITEM_KINDS)('one or many of %s can be played, queued, added to a playlist and start a radio', (kind) => {
  for (const count of [1, 3])
    expect(listActionNames(makeItems(kind, count))).toEqual(
      expect.arrayContaining(['play', 'playNext', 'playLater', 'radio', 'addTo', 'download']),
    );
});

it.each(['track', 'album', 'artist'] as const)('one or many of %s can be liked, rated, edited and deleted', (kind) => {
  for (const count of [1, 3])
    expect(listActionNames(makeItems(kind, count))).toEqual(expect.arrayContaining(['like', 'rate', 'edit', 'delete']));
});

it('only the owner of a playlist can rename, publish and delete it', () => {
  const ownPlaylist = makeItems('playlist', 1, { id: 7, name: 'Mine', owner_id: 1, is_smart: true });
  const otherPlaylist = makeItems('playlist', 1, { id: 8, name: 'Theirs', owner_id: 2, is_smart: true });
  const changes: ActionName[] = ['rename', 'rules', 'publish', 'delete'];
  expect(listActionNames(ownPlaylist)).toEqual(expect.arrayContaining(changes));
  expect(listActionNames(otherPlaylist).filter((name) => changes.includes(name))).toEqual([]);
  expect(listActionNames(otherPlaylist)).toContain('duplicate');
});

it('actions that make sense only for one item are not offered for several', () => {
  expect(listActionNames(makeItems('album', 2)).filter((name) => ['goTo', 'cover', 'versions'].includes(name))).toEqual(
    [],
  );
  expect(listActionNames(makeItems('track', 2))).toContain('shuffle');
  expect(listActionNames(makeItems('track', 1))).not.toContain('shuffle');
});

it('only administrators decide how an artist is split', () => {
  expect(listActionNames(makeItems('artist'))).toContain('neverSplit');
  expect(listActionNames(makeItems('artist'), { ...OWNER, isOwner: false })).not.toContain('neverSplit');
});

it('users who may not edit are offered editing and deleting for their own uploads, and for several items', () => {
  const changes: ActionName[] = ['edit', 'identify', 'delete'];
  const listOffered = (items: Items) => listActionNames(items, LISTENER).filter((name) => changes.includes(name));
  expect(listOffered(makeItems('track', 1, { id: 7, title: 'Seven', uploaded_by: 2 }))).toEqual([]);
  expect(listOffered(makeItems('track', 1, { id: 7, title: 'Seven', uploaded_by: null }))).toEqual([]);
  expect(listOffered(makeItems('track', 1, { id: 7, title: 'Seven', uploaded_by: 1 }))).toEqual(changes);
  expect(listOffered(makeItems('album', 3))).toEqual(changes);
  expect(changes.map((name) => needsOwn(name, LISTENER))).toEqual([true, true, true]);
  expect([needsOwn('delete', OWNER), needsOwn('play', LISTENER)]).toEqual([false, false]);
});

it('music is fetched and saved by those who may, and a list of names is saved by everybody', () => {
  const remoteTrack = makeItems('track', 1, { id: 7, title: 'Seven', availability: 'remote', uploaded_by: 1 });
  const restrictedUser = { ...LISTENER, rights: { ...LISTENER.rights, can_upload: false, can_download: false } };
  expect(listActionNames(remoteTrack, LISTENER)).toEqual(expect.arrayContaining(['fetch', 'download']));
  expect(listActionNames(remoteTrack, restrictedUser).filter((name) => ['fetch', 'download'].includes(name))).toEqual(
    [],
  );
  expect(listActionNames(makeItems('playlist'), restrictedUser)).toContain('exportList');
  expect(listActionNames(makeItems('playlist'), restrictedUser)).not.toContain('download');
});

it.each(ITEM_KINDS)('one or many of %s can be shared with people without an account, by those who may', (kind) => {
  const restrictedUser = { ...OWNER, rights: { ...ALL_RIGHTS, can_share: false } };
  for (const count of [1, 3]) {
    expect(listActionNames(makeItems(kind, count))).toContain('share');
    expect(listActionNames(makeItems(kind, count), restrictedUser)).not.toContain('share');
  }
});

it('an entry can be moved and removed, if the list can be changed', () => {
  const entry: Items = { ...makeItems('track'), place: { remove: () => {}, toTop: () => {}, toEnd: () => {} } };
  expect(listActionNames(entry)).toEqual(expect.arrayContaining(['toTop', 'toEnd', 'remove']));
  expect(listActionNames(makeItems('track'))).not.toContain('remove');
});

it('a key has one action for an item', () => {
  for (const kind of ITEM_KINDS) {
    const keys = actionsFor(makeItems(kind, 1, { owner_id: 1 }), OWNER)
      .flat()
      .flatMap(({ key }) => key ?? []);
    expect(keys).toEqual([...new Set(keys)]);
  }
  expect(actionOfKey('e', makeItems('track', 4), OWNER)).toBe('edit');
  expect(actionOfKey('Delete', makeItems('genre'), OWNER)).toBeUndefined();
});

it('every action has a name', () => {
  const texts: Record<string, string> = en.action;
  expect(ACTIONS.flat().filter(({ name }) => !texts[name])).toEqual([]);
});
