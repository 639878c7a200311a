// Ids of the Subsonic API, which clients store: kind and row id, so that `star?id=` works with all kinds. They do not
// consist of digits only, which clients take for a music folder, and have only letters, digits and `-`, for use in file
// names.
import type {
  AlbumId,
  ArtistId,
  EpisodeId,
  PersonId,
  PlaylistId,
  PodcastId,
  RadioStationId,
  ShareId,
  TrackId,
} from '../db/ids.ts';
import { notFound } from '../errors.ts';

const PREFIXES = {
  track: 'tr',
  album: 'al',
  artist: 'ar',
  /** A person with credits who is no artist of the library. */
  person: 'cr',
  playlist: 'pl',
  folder: 'dir',
  uploads: 'up',
  radio: 'ir',
  share: 'sh',
  podcast: 'pc',
  episode: 'pe',
} as const;
export type Kind = keyof typeof PREFIXES;

interface Ids {
  track: TrackId;
  album: AlbumId;
  artist: ArtistId;
  person: PersonId;
  playlist: PlaylistId;
  folder: number;
  uploads: number;
  radio: RadioStationId;
  share: ShareId;
  podcast: PodcastId;
  episode: EpisodeId;
}
export type ItemId = { [K in Kind]: { kind: K; id: Ids[K] } }[Kind];

const NAMES: Record<Kind, string> = {
  track: 'song',
  album: 'album',
  artist: 'artist',
  person: 'artist',
  playlist: 'playlist',
  folder: 'folder',
  uploads: 'folder',
  radio: 'radio station',
  share: 'share',
  podcast: 'podcast',
  episode: 'podcast episode',
};
const KINDS = new Map<string, Kind>(Object.entries(PREFIXES).map(([kind, prefix]) => [prefix, kind as Kind]));
const ID_PATTERN = /^([a-z]{2,3})-(\d{1,15})(?:-[0-9a-z]{1,16})?$/;

export const toId = <K extends Kind>(kind: K, id: Ids[K]): string => `${PREFIXES[kind]}-${id}`;

/**
 * Returns the id of an image. A version that changes with the image is part of it, because clients cache the image of
 * an id for ever.
 */
export const toCoverId = <K extends Kind>(kind: K, id: Ids[K], version?: string | number | null): string =>
  version === undefined || version === null
    ? toId(kind, id)
    : `${toId(kind, id)}-${String(version).slice(0, 8).toLowerCase()}`;

/** Parses an id; returns undefined for other texts. Accepts ids of images too, because clients mix them up. */
export function parseId(text: string): ItemId | undefined {
  const [, prefix = '', digits = ''] = ID_PATTERN.exec(text) ?? [];
  const kind = KINDS.get(prefix);
  return kind && ({ kind, id: Number(digits) } as ItemId);
}

/** Returns the row id of an item. Throws `not_found` unless the text is an id of that kind. */
export function idOf<K extends Kind>(kind: K, text: string): Ids[K] {
  const item = parseId(text);
  if (item?.kind !== kind) throw notFound(NAMES[kind], toPrintable(text));
  return item.id as Ids[K];
}

export const toPrintable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 40);

/** Returns the id of a track; undefined for ids of other kinds, for lists that may contain them. */
export function trackIdOf(text: string): TrackId | undefined {
  const item = parseId(text);
  return item?.kind === 'track' ? item.id : undefined;
}
