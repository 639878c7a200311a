// Which actions are offered for which items.
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

const KINDS: ItemKind[] = ['track', 'album', 'artist', 'genre', 'playlist', 'folder'];
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

const some = (kind: ItemKind, count = 1, only: object = { id: 7, name: 'Seven', title: 'Seven' }): Items =>
  ({
    kind,
    count,
    name: 'Seven',
    only: count === 1 ? only : undefined,
    each: async () => [],
    load: async () => [],
  }) as unknown as Items;
const namesFor = (items: Items, asker = OWNER): ActionName[] =>
  actionsFor(items, asker)
    .flat()
    .map(({ name }) => name);

it.each(KINDS)('one or many of %s can be played, queued, added to a playlist and start a radio', (kind) => {
  for (const count of [1, 3])
    expect(namesFor(some(kind, count))).toEqual(
      expect.arrayContaining(['play', 'playNext', 'playLater', 'radio', 'addTo', 'download']),
    );
});

it.each(['track', 'album', 'artist'] as const)('one or many of %s can be liked, rated, edited and deleted', (kind) => {
  for (const count of [1, 3])
    expect(namesFor(some(kind, count))).toEqual(expect.arrayContaining(['like', 'rate', 'edit', 'delete']));
});

it('only the owner of a playlist can rename, publish and delete it', () => {
  const own = some('playlist', 1, { id: 7, name: 'Mine', owner_id: 1, is_smart: true });
  const other = some('playlist', 1, { id: 8, name: 'Theirs', owner_id: 2, is_smart: true });
  const changes: ActionName[] = ['rename', 'rules', 'share', 'delete'];
  expect(namesFor(own)).toEqual(expect.arrayContaining(changes));
  expect(namesFor(other).filter((name) => changes.includes(name))).toEqual([]);
  expect(namesFor(other)).toContain('duplicate');
});

it('what only makes sense for one is not offered for several', () => {
  expect(namesFor(some('album', 2)).filter((name) => ['goTo', 'cover', 'copyLink'].includes(name))).toEqual([]);
  expect(namesFor(some('track', 2))).toContain('shuffle');
  expect(namesFor(some('track', 1))).not.toContain('shuffle');
});

it('only administrators decide how an artist is split', () => {
  expect(namesFor(some('artist'))).toContain('neverSplit');
  expect(namesFor(some('artist'), { ...OWNER, isOwner: false })).not.toContain('neverSplit');
});

it('who may not edit is offered editing and deleting for their own uploads, and for several items', () => {
  const changes: ActionName[] = ['edit', 'identify', 'delete'];
  const offered = (items: Items) => namesFor(items, LISTENER).filter((name) => changes.includes(name));
  expect(offered(some('track', 1, { id: 7, title: 'Seven', uploaded_by: 2 }))).toEqual([]);
  expect(offered(some('track', 1, { id: 7, title: 'Seven', uploaded_by: null }))).toEqual([]);
  expect(offered(some('track', 1, { id: 7, title: 'Seven', uploaded_by: 1 }))).toEqual(changes);
  expect(offered(some('album', 3))).toEqual(changes);
  expect(changes.map((name) => needsOwn(name, LISTENER))).toEqual([true, true, true]);
  expect([needsOwn('delete', OWNER), needsOwn('play', LISTENER)]).toEqual([false, false]);
});

it('music is fetched and saved by those who may, and a list of names is saved by everybody', () => {
  const remote = some('track', 1, { id: 7, title: 'Seven', availability: 'remote', uploaded_by: 1 });
  const nobody = { ...LISTENER, rights: { ...LISTENER.rights, can_upload: false, can_download: false } };
  expect(namesFor(remote, LISTENER)).toEqual(expect.arrayContaining(['fetch', 'download']));
  expect(namesFor(remote, nobody).filter((name) => ['fetch', 'download'].includes(name))).toEqual([]);
  expect(namesFor(some('playlist'), nobody)).toContain('exportList');
  expect(namesFor(some('playlist'), nobody)).not.toContain('download');
});

it('an entry can be moved and removed, if the list can be changed', () => {
  const entry: Items = { ...some('track'), place: { remove: () => {}, toTop: () => {}, toEnd: () => {} } };
  expect(namesFor(entry)).toEqual(expect.arrayContaining(['toTop', 'toEnd', 'remove']));
  expect(namesFor(some('track'))).not.toContain('remove');
});

it('a key has one action for an item', () => {
  for (const kind of KINDS) {
    const keys = actionsFor(some(kind, 1, { owner_id: 1 }), OWNER)
      .flat()
      .flatMap(({ key }) => key ?? []);
    expect(keys).toEqual([...new Set(keys)]);
  }
  expect(actionOfKey('e', some('track', 4), OWNER)).toBe('edit');
  expect(actionOfKey('Delete', some('genre'), OWNER)).toBeUndefined();
});

it('every action has a name', () => {
  const texts: Record<string, string> = en.action;
  expect(ACTIONS.flat().filter(({ name }) => !texts[name])).toEqual([]);
});
