// Tests which actions are offered for which items.
import { expect, it } from 'vitest';
import { ACTIONS, actionOfKey, actionsFor, type ActionName, type Asker } from '../../../renderer/music/actions.ts';
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
    loaded: Array.from({ length: count }, () => item),
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

it('users who may not edit are offered editing and deleting for their own uploads only', () => {
  const changes: ActionName[] = ['edit', 'cover', 'merge', 'split', 'identify', 'match', 'delete'];
  const listOffered = (items: Items) => listActionNames(items, LISTENER).filter((name) => changes.includes(name));
  const upload = { id: 7, title: 'Seven', uploaded_by: 1 };
  for (const uploaded_by of [2, null, undefined])
    expect(listOffered(makeItems('track', 1, { ...upload, uploaded_by }))).toEqual([]);
  for (const count of [1, 3])
    expect(listOffered(makeItems('track', count, upload))).toEqual(['edit', 'identify', 'delete']);
  expect(listOffered(makeItems('album', 1, upload))).toEqual(['edit', 'cover', 'identify', 'match', 'delete']);
  for (const kind of ['album', 'artist', 'genre', 'folder'] as const)
    expect(listOffered(makeItems(kind, 3))).toEqual([]);
  // rows that are not loaded may have been uploaded by others
  expect(listOffered({ ...makeItems('track', 3, upload), loaded: undefined })).toEqual([]);
});

it('an account without rights has the menu of a listener', () => {
  const rights = { ...LISTENER.rights, can_upload: false, can_download: false, can_share: false };
  const listening = ['play', 'shuffle', 'playNext', 'playLater', 'radio', 'addTo', 'like', 'rate', 'goTo', 'pin'];
  expect(listActionNames(makeItems('album'), { ...LISTENER, rights })).toEqual(listening);
  for (const kind of ITEM_KINDS)
    expect(actionOfKey('Delete', makeItems(kind), { ...LISTENER, rights })).toBeUndefined();
});

it('the short list of an album has Edit and Share, and what changes the library is in Manage', () => {
  const [shortList, managed] = [false, true].map((isInside) =>
    actionsFor(makeItems('album'), OWNER)
      .flat()
      .filter(({ isManaged = false }) => isManaged === isInside)
      .map(({ name }) => name),
  );
  expect(shortList).toHaveLength(13);
  expect(shortList).toEqual(expect.arrayContaining(['edit', 'share']));
  expect(managed).toEqual(['cover', 'merge', 'split', 'identify', 'match', 'downloadMp3', 'delete']);
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

it('a key or letter has one action for an item', () => {
  for (const kind of ITEM_KINDS) {
    const letters = actionsFor(makeItems(kind, 1, { owner_id: 1 }), OWNER)
      .flat()
      .flatMap(({ key, letter = key }) => letter ?? []);
    expect(letters).toEqual([...new Set(letters)]);
  }
  expect(actionOfKey('e', makeItems('track', 4), OWNER)).toBe('edit');
  expect(actionOfKey('Delete', makeItems('genre'), OWNER)).toBeUndefined();
});

it('every action has a name', () => {
  const texts: Record<string, string> = en.action;
  expect(ACTIONS.flat().filter(({ name }) => !texts[name])).toEqual([]);
});
