// Sets metadata of a track by hand, its names included. It takes precedence over tags and services, now and later.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { tracks, type Origin } from '../db/schema.ts';
import { FIELD_LIST, fieldsFrom, type FieldChanges, type KnownFields } from '../db/track-fields.ts';
import { invalid, notFound } from '../errors.ts';
import { identityKey } from './sort-and-identity-keys.ts';
import { prepareKnownTracks } from './track-identity.ts';
import { TYPED_RELEASE, type TrackIdentity } from './track-values.ts';
import type { TrackWriter } from './track-writer.ts';

/** An absent field is kept, null clears it. */
export interface TypedMetadata extends FieldChanges {
  title?: string | undefined;
  /** The credit as displayed: `A feat. B`. */
  artist?: string | null | undefined;
  /** The artists it names; without them `artist` is one name, or several separated by `;`. */
  artists?: string[] | undefined;
  album?: string | null | undefined;
  albumArtist?: string | null | undefined;
  genre?: string | null | undefined;
}

export function createManualEdits({ db, tracks: writer, now }: { db: MainDb; tracks: TrackWriter; now: () => Date }) {
  const findKnown = prepareKnownTracks(db.$client);

  /**
   * The status becomes `manual`, unless `keepsStatus`. Throws `not_found` or `invalid`. Removes an album and artists
   * that are left without tracks.
   */
  function setMetadata(id: TrackId, typed: TypedMetadata, { keepsStatus }: { keepsStatus: boolean }): void {
    assertVisible(typed);
    db.transaction(
      (tx) => {
        const track = findKnown(id);
        if (!track) throw notFound('track', id);
        writer.batch(() => writer.setIdentity(id, toIdentity(track.identity, typed), track.folder));
        tx.update(tracks)
          .set({ updatedAt: now(), ...(!keepsStatus && { metadataStatus: 'manual', metadataError: null }) })
          .where(eq(tracks.id, id))
          .run();
      },
      { behavior: 'immediate' },
    );
  }

  return { setMetadata };
}

function toIdentity(current: TrackIdentity, typed: TypedMetadata): TrackIdentity {
  const { artists, artist } = creditOf(current, typed);
  const album = typed.album === undefined ? current.album : (typed.album ?? undefined);
  const isSame = (a: string | null | undefined, b: string | undefined): boolean =>
    identityKey(a ?? '') === identityKey(b ?? '');
  const isSameAlbum =
    album !== undefined &&
    isSame(album, current.album) &&
    (typed.albumArtist === undefined || isSame(typed.albumArtist, current.albumArtist));
  return {
    title: typed.title ?? current.title,
    artists,
    artist,
    album,
    albumArtist:
      typed.albumArtist ?? (isSameAlbum && typed.albumArtist === undefined ? current.albumArtist : undefined),
    compilation: isSameAlbum ? current.compilation : undefined,
    releaseGroupMbid: isSameAlbum ? current.releaseGroupMbid : undefined,
    releaseMbid: isSameAlbum ? current.releaseMbid : undefined,
    genres: typed.genre === undefined ? current.genres : typed.genre === null ? [] : [typed.genre],
    ...(fieldsFrom((field) =>
      typed[field] === undefined ? current[field] : (typed[field] ?? undefined),
    ) as KnownFields),
    recordingMbid: current.recordingMbid,
    acoustidId: current.acoustidId,
    charset: current.charset,
    lyrics: current.lyrics,
    provenance: {
      ...current.provenance,
      ...originsOf(typed),
      ...(!isSameAlbum && album !== undefined && { [TYPED_RELEASE]: 'manual' as const }),
    },
  };
}

function creditOf(
  current: TrackIdentity,
  { artist, artists = [] }: TypedMetadata,
): Pick<TrackIdentity, 'artist' | 'artists'> {
  if (artists.length > 0) return { artists, artist: artist ?? undefined };
  if (artist === undefined) return { artists: current.artists, artist: current.artist };
  return { artists: artist === null ? [] : [artist], artist: undefined };
}

/** Fields that were left out keep their provenance. */
function originsOf(typed: TypedMetadata): Record<string, Origin> {
  const given = (['title', 'artist', 'album', 'genre', ...FIELD_LIST] as const).filter(
    (field) => typed[field] !== undefined,
  );
  const implied = [
    ...(typed.artists && typed.artists.length > 0 ? ['artist'] : []),
    ...(typed.albumArtist === undefined ? [] : ['album']),
  ];
  return Object.fromEntries([...given, ...implied].map((field) => [field, 'manual']));
}

/** Rejects names without visible characters. */
function assertVisible({ title, artist, artists = [], album }: TypedMetadata): void {
  const message = 'must contain a visible character';
  const faults = [['title', title], ['artist', artist], ...artists.map((name) => ['artists', name]), ['album', album]]
    .filter(([, name]) => name !== undefined && name !== null)
    .filter(([, name]) => identityKey(name ?? '') === '')
    .map(([field]) => ({ field: field ?? '', message }));
  if (faults.length > 0) throw invalid(faults);
}
