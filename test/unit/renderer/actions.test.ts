// Which actions are offered for which items.
import { expect, it } from 'vitest';
import { ACTIONS, actionOfKey, actionsFor, type ActionName, type Asker } from '../../../renderer/music/actions.ts';
import type { ItemKind, Items } from '../../../renderer/music/items.ts';
import en from '../../../resources/languages/en.json' with { type: 'json' };

const KINDS: ItemKind[] = ['track', 'album', 'artist', 'genre', 'playlist', 'folder'];
const OWNER: Asker = { userId: 1, isOwner: true, hasPages: true };

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
