// Everything that can be done to music, as one table. The menu, the keys and the bar of a selection are made of it, so
// that an item has the same actions wherever it appears. What an action does is in use-actions.ts.
import type { Icon } from '../ui/theme/icons.ts';
import {
  IconAddTo,
  IconCover,
  IconDelete,
  IconDetails,
  IconDownload,
  IconDuplicate,
  IconEdit,
  IconExportList,
  IconFetch,
  IconGoTo,
  IconIdentify,
  IconLess,
  IconLike,
  IconLink,
  IconMerge,
  IconMoreLike,
  IconNever,
  IconNeverSplit,
  IconPath,
  IconPlay,
  IconPlayLater,
  IconPlayNext,
  IconPublic,
  IconRadio,
  IconRate,
  IconRemove,
  IconRules,
  IconShuffle,
  IconSplit,
  IconToEnd,
  IconToTop,
  IconVersions,
} from '../ui/theme/icons.ts';
import type { RightName } from '../api/users.ts';
import type { ItemKind, Items } from './items.ts';

const ALL_KINDS = ['track', 'album', 'artist', 'genre', 'playlist', 'folder'] as const satisfies readonly ItemKind[];
const LIKEABLE_KINDS = ['track', 'album', 'artist'] as const satisfies readonly ItemKind[];

/** Who is asking, as far as it decides what is offered. */
export interface Asker {
  userId: number;
  isOwner: boolean;
  /** What the account may do. */
  rights: Record<RightName, boolean>;
  /** False in the player window, which shows no pages. */
  hasPages: boolean;
}

interface ActionEntry {
  name: string;
  icon: Icon;
  kinds: readonly ItemKind[];
  /** Only for a single item. */
  isSingle?: true;
  /** Only for those who manage the server. */
  isOwners?: true;
  /** What the account has to be allowed to do. */
  right?: RightName;
  /** Without the right, too, with what one uploaded oneself. Of several items only the server knows. */
  orOwn?: true;
  /** Opens more choices. */
  isMenu?: true;
  /** As KeyboardEvent.key, on the item that has the focus. */
  key?: string;
  /** The key in the open menu, where `key` is none. */
  letter?: string;
  /** Further conditions. */
  isFor?: (items: Items, asker: Asker) => boolean;
}

/** Whether the one who asks uploaded it. */
export const isOwnUpload = ({ uploaded_by }: { uploaded_by: number | null }, { userId }: Asker): boolean =>
  uploaded_by === userId;

function isAllowed({ right, orOwn }: ActionEntry, items: Items, asker: Asker): boolean {
  if (right === undefined || asker.rights[right]) return true;
  if (items.kind === 'playlist') return right !== 'can_download'; // their list is everybody's to keep
  if (orOwn === undefined) return false;
  const uploadedBy = items.kind === 'track' ? items.only?.uploaded_by : undefined;
  return uploadedBy === undefined || isOwnUpload({ uploaded_by: uploadedBy }, asker);
}

const isOwnPlaylist = (items: Items, { userId }: Asker): boolean =>
  items.kind === 'playlist' && items.only?.owner_id === userId;

const isSteerable = ({ place }: Items): boolean => place?.steer !== undefined;

/** In the order of the menu; a list within is a section of it. */
export const ACTIONS = [
  [
    { name: 'play', icon: IconPlay, kinds: ALL_KINDS, key: 'p' },
    {
      name: 'shuffle',
      icon: IconShuffle,
      kinds: ALL_KINDS,
      letter: 's',
      isFor: ({ kind, count }) => kind !== 'track' || count > 1,
    },
    { name: 'playNext', icon: IconPlayNext, kinds: ALL_KINDS, letter: 'n' },
    { name: 'playLater', icon: IconPlayLater, kinds: ALL_KINDS, letter: 'q' },
    { name: 'radio', icon: IconRadio, kinds: ALL_KINDS, letter: 'r' },
    {
      name: 'path',
      icon: IconPath,
      kinds: ['track'],
      isSingle: true,
      letter: 'w',
      isFor: (_, { hasPages }) => hasPages,
    },
  ],
  [
    { name: 'moreLike', icon: IconMoreLike, kinds: ['track'], isSingle: true, isFor: isSteerable },
    { name: 'lessLike', icon: IconLess, kinds: ['track'], isSingle: true, isFor: isSteerable },
    { name: 'never', icon: IconNever, kinds: ['track'], isSingle: true, isFor: isSteerable },
  ],
  [
    { name: 'toTop', icon: IconToTop, kinds: ['track'], isFor: ({ place }) => place?.toTop !== undefined },
    { name: 'toEnd', icon: IconToEnd, kinds: ['track'], isFor: ({ place }) => place?.toEnd !== undefined },
    { name: 'remove', icon: IconRemove, kinds: ['track'], isFor: ({ place }) => place?.remove !== undefined },
  ],
  [
    { name: 'addTo', icon: IconAddTo, kinds: ALL_KINDS, isMenu: true },
    { name: 'like', icon: IconLike, kinds: LIKEABLE_KINDS, key: 'l' },
    { name: 'rate', icon: IconRate, kinds: LIKEABLE_KINDS, isMenu: true },
  ],
  [
    {
      name: 'goTo',
      icon: IconGoTo,
      kinds: ALL_KINDS,
      isSingle: true,
      letter: 'o',
      isFor: (_, { hasPages }) => hasPages,
    },
    {
      name: 'details',
      icon: IconDetails,
      kinds: ['track'],
      letter: 'i',
      isSingle: true,
      isFor: (_, { hasPages }) => hasPages,
    },
    {
      name: 'edit',
      icon: IconEdit,
      kinds: ['track', 'album', 'artist', 'genre', 'folder'],
      key: 'e',
      right: 'can_edit',
      orOwn: true,
      isFor: (_, { hasPages }) => hasPages,
    },
    { name: 'rename', icon: IconEdit, kinds: ['playlist'], isSingle: true, key: 'e', isFor: isOwnPlaylist },
    {
      name: 'rules',
      icon: IconRules,
      kinds: ['playlist'],
      isSingle: true,
      isFor: (items, asker) =>
        isOwnPlaylist(items, asker) && items.kind === 'playlist' && items.only?.is_smart === true,
    },
    { name: 'versions', icon: IconVersions, kinds: ['playlist'], isSingle: true, letter: 'v' },
    { name: 'duplicate', icon: IconDuplicate, kinds: ['playlist'], isSingle: true, letter: 'u' },
    { name: 'share', icon: IconPublic, kinds: ['playlist'], isSingle: true, isFor: isOwnPlaylist },
    {
      name: 'cover',
      icon: IconCover,
      kinds: ['album'],
      isSingle: true,
      letter: 'c',
      right: 'can_edit',
      orOwn: true,
    },
    {
      name: 'merge',
      icon: IconMerge,
      kinds: ['album'],
      isSingle: true,
      letter: 'm',
      right: 'can_edit',
      orOwn: true,
    },
    {
      name: 'split',
      icon: IconSplit,
      kinds: ['album'],
      isSingle: true,
      letter: 'x',
      right: 'can_edit',
      orOwn: true,
    },
    {
      name: 'identify',
      icon: IconIdentify,
      kinds: ['track', 'album', 'artist', 'folder'],
      letter: 'f',
      right: 'can_edit',
      orOwn: true,
    },
    { name: 'neverSplit', icon: IconNeverSplit, kinds: ['artist'], isSingle: true, isOwners: true },
  ],
  [
    {
      name: 'fetch',
      icon: IconFetch,
      kinds: ['track'],
      right: 'can_upload',
      isFor: (items) => items.kind === 'track' && items.only?.availability === 'remote',
    },
    { name: 'download', icon: IconDownload, kinds: ALL_KINDS, letter: 'd', right: 'can_download' },
    { name: 'downloadMp3', icon: IconDownload, kinds: ALL_KINDS, right: 'can_download' },
    { name: 'exportList', icon: IconExportList, kinds: ['playlist'], isSingle: true },
    {
      name: 'copyLink',
      icon: IconLink,
      kinds: ALL_KINDS,
      isSingle: true,
      letter: 'k',
      isFor: (items) => items.count === 1,
    },
  ],
  [
    {
      name: 'delete',
      icon: IconDelete,
      kinds: ['track', 'album', 'artist', 'folder', 'playlist'],
      key: 'Delete',
      right: 'can_edit',
      orOwn: true,
      isFor: (items, asker) => items.kind !== 'playlist' || isOwnPlaylist(items, asker),
    },
  ],
] as const satisfies readonly (readonly ActionEntry[])[];

export type ActionName = (typeof ACTIONS)[number][number]['name'];
export type Action = ActionEntry & { name: ActionName };

/** What can be done with these items, in sections. */
export const actionsFor = (items: Items, asker: Asker): Action[][] =>
  ACTIONS.map((section: readonly Action[]) =>
    section.filter(
      (action) =>
        action.kinds.includes(items.kind) &&
        (!action.isSingle || items.count === 1) &&
        (!action.isOwners || asker.isOwner) &&
        isAllowed(action, items, asker) &&
        (action.isFor?.(items, asker) ?? true),
    ),
  ).filter((section) => section.length > 0);

/** Actions on tracks that the account may do with its own uploads alone. */
const OWNER_ACTIONS: ReadonlySet<string> = new Set(
  ACTIONS.flat().flatMap((action) => ('orOwn' in action ? [action.name] : [])),
);

/** Whether all of these tracks have to be one's own uploads for that action. */
export const needsOwn = (name: ActionName, { rights }: Asker): boolean => OWNER_ACTIONS.has(name) && !rights.can_edit;

/** The action that a key stands for, on these items. */
export const actionOfKey = (key: string, items: Items, asker: Asker): ActionName | undefined =>
  actionsFor(items, asker)
    .flat()
    .find((action) => action.key === key)?.name;
