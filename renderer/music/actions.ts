// The table of all actions on music. The menu, the keys and the selection bar are made from this table, so that an
// item has the same actions wherever it appears. What an action does is in use-actions.ts.
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
  IconMatch,
  IconMerge,
  IconMoreLike,
  IconNever,
  IconNeverSplit,
  IconPath,
  IconPin,
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

/** The account and window for which actions are offered. */
export interface Asker {
  userId: number;
  isOwner: boolean;
  /** The rights of the account. */
  rights: Record<RightName, boolean>;
  /** False in the player window, which shows no pages. */
  hasPages: boolean;
}

interface ActionEntry {
  name: string;
  icon: Icon;
  kinds: readonly ItemKind[];
  /** Offered only for a single item. */
  isSingle?: true;
  /** Offered only to administrators of the server. */
  isOwners?: true;
  /** The right that the action requires. */
  right?: RightName;
  /** Also offered without the right, for tracks and albums that the account uploaded. */
  orOwn?: true;
  /** The action opens a submenu. */
  isMenu?: true;
  /** The menu has the action in its submenu “Manage”. */
  isManaged?: true;
  /** A KeyboardEvent.key that runs the action on the focused item. */
  key?: string;
  /** The key in the open menu, for actions without `key`. */
  letter?: string;
  /** Further conditions for offering the action. */
  isFor?: (items: Items, asker: Asker) => boolean;
}

/** Returns whether the asking account uploaded the track, or all tracks of the album. */
const isOwnUpload = (
  { uploaded_by }: { uploaded_by?: number | null | undefined },
  { userId }: Pick<Asker, 'userId'>,
): boolean => uploaded_by === userId;

function isAllowed({ right, orOwn }: ActionEntry, items: Items, asker: Asker): boolean {
  if (right === undefined || asker.rights[right]) return true;
  // every account may manage its own playlists; only what leaves the server with them requires rights
  if (items.kind === 'playlist') return right !== 'can_download' && right !== 'can_share';
  if (!orOwn || (items.kind !== 'track' && items.kind !== 'album') || !items.loaded) return false;
  const ownItems = items.loaded.filter((item) => isOwnUpload(item, asker));
  return items.count > 0 && ownItems.length === items.count;
}

const isOwnPlaylist = (items: Items, { userId }: Asker): boolean =>
  items.kind === 'playlist' && items.only?.owner_id === userId;

const isSteerable = ({ place }: Items): boolean => place?.steer !== undefined;

/** All actions in the order of the menu; each nested list is a section. */
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
      name: 'pin',
      icon: IconPin,
      kinds: ['album', 'artist', 'genre', 'playlist'],
      isSingle: true,
      letter: 'b',
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
    { name: 'versions', icon: IconVersions, kinds: ['playlist'], isSingle: true, isManaged: true, letter: 'v' },
    { name: 'duplicate', icon: IconDuplicate, kinds: ['playlist'], isSingle: true, isManaged: true, letter: 'u' },
    { name: 'publish', icon: IconPublic, kinds: ['playlist'], isSingle: true, isManaged: true, isFor: isOwnPlaylist },
    {
      name: 'cover',
      icon: IconCover,
      kinds: ['album'],
      isManaged: true,
      isSingle: true,
      letter: 'c',
      right: 'can_edit',
      orOwn: true,
    },
    {
      name: 'merge',
      icon: IconMerge,
      kinds: ['album'],
      isManaged: true,
      isSingle: true,
      letter: 'm',
      right: 'can_edit',
    },
    {
      name: 'split',
      icon: IconSplit,
      kinds: ['album'],
      isManaged: true,
      isSingle: true,
      letter: 'x',
      right: 'can_edit',
    },
    {
      name: 'identify',
      icon: IconIdentify,
      kinds: ['track', 'album', 'artist', 'folder'],
      isManaged: true,
      letter: 'f',
      right: 'can_edit',
      orOwn: true,
    },
    {
      name: 'match',
      icon: IconMatch,
      kinds: ['album'],
      isManaged: true,
      isSingle: true,
      letter: 'h',
      right: 'can_edit',
      orOwn: true,
    },
    { name: 'neverSplit', icon: IconNeverSplit, kinds: ['artist'], isSingle: true, isManaged: true, isOwners: true },
  ],
  [
    {
      name: 'fetch',
      icon: IconFetch,
      kinds: ['track'],
      right: 'can_upload',
      isFor: (items) => items.kind === 'track' && items.only?.availability === 'remote',
    },
    { name: 'share', icon: IconLink, kinds: ALL_KINDS, letter: 'k', right: 'can_share' },
    { name: 'download', icon: IconDownload, kinds: ALL_KINDS, letter: 'd', right: 'can_download' },
    { name: 'downloadMp3', icon: IconDownload, kinds: ALL_KINDS, right: 'can_download', isManaged: true },
    { name: 'exportList', icon: IconExportList, kinds: ['playlist'], isSingle: true, isManaged: true },
  ],
  [
    {
      name: 'delete',
      icon: IconDelete,
      kinds: ['track', 'album', 'artist', 'folder', 'playlist'],
      isManaged: true,
      key: 'Delete',
      right: 'can_edit',
      orOwn: true,
      isFor: (items, asker) => items.kind !== 'playlist' || isOwnPlaylist(items, asker),
    },
  ],
] as const satisfies readonly (readonly ActionEntry[])[];

export type ActionName = (typeof ACTIONS)[number][number]['name'];
export type Action = ActionEntry & { name: ActionName };

/** Returns the actions that are offered for these items, in sections. */
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

/** Returns the action that a key runs on these items. */
export const actionOfKey = (key: string, items: Items, asker: Asker): ActionName | undefined =>
  actionsFor(items, asker)
    .flat()
    .find((action) => action.key === key)?.name;
