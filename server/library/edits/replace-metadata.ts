// Sets the metadata of a track manually, including its artist, album and genre names. These values take precedence over
// tags and services, now and later.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../../db/client.ts';
import type { AlbumId, TrackId } from '../../db/ids.ts';
import { tracks, type Origin } from '../../db/schema.ts';
import { FIELD_LIST, fieldsFrom, type FieldChanges, type KnownFields } from '../../db/track-fields.ts';
import { invalid, notFound } from '../../errors.ts';
import { identityKey } from '../tracks/sort-and-identity-keys.ts';
import { prepareFindTrack } from '../tracks/track-identity.ts';
import { TYPED_RELEASE, type TrackIdentity } from '../tracks/track-values.ts';
import type { TrackWriter } from '../tracks/track-writer.ts';

/** Metadata that a person typed. An absent field is kept, null clears it. */
export interface TypedMetadata extends FieldChanges {
  title?: string | undefined;
  /** The credit as displayed: `A feat. B`. */
  artist?: string | null | undefined;
  /** The artists that the credit names; if absent, `artist` is one name, or several separated by `;`. */
  artists?: string[] | undefined;
  album?: string | null | undefined;
  albumArtist?: string | null | undefined;
  /** All album artists in their order, instead of `albumArtist`; an empty list clears them. */
  albumArtists?: readonly string[] | undefined;
  compilation?: boolean | undefined;
  genre?: string | null | undefined;
  /** All genres, instead of `genre`. */
  genres?: readonly string[] | undefined;
  edition?: string | null | undefined;
  releaseTypes?: readonly string[] | undefined;
  albumSort?: string | null | undefined;
}

/** Changes of an album: values that all its tracks share, and values of single tracks. */
export interface AlbumChanges {
  album: Omit<TypedMetadata, 'title' | 'artist' | 'artists' | 'trackNumber' | 'discNumber'>;
  tracks: ReadonlyMap<TrackId, Pick<TypedMetadata, 'title' | 'artist' | 'artists' | 'trackNumber' | 'discNumber'>>;
}

export function createManualEdits({ db, tracks: writer, now }: { db: MainDb; tracks: TrackWriter; now: () => Date }) {
  const findStoredTrack = prepareFindTrack(db.$client);

  /**
   * Sets the metadata of a track. The status becomes `manual`, unless `keepsStatus`. Throws `not_found` or `invalid`.
   * Removes an album and artists that are left without tracks.
   */
  function setMetadata(id: TrackId, metadata: TypedMetadata, { keepsStatus }: { keepsStatus: boolean }): void {
    assertVisible(metadata);
    db.transaction(
      (tx) => {
        const track = findStoredTrack(id);
        if (!track) throw notFound('track', id);
        writer.batch(() => writer.setIdentity(id, toIdentity(track.identity, metadata), track.folder));
        tx.update(tracks)
          .set({ updatedAt: now(), ...(!keepsStatus && { metadataStatus: 'manual', metadataError: null }) })
          .where(eq(tracks.id, id))
          .run();
      },
      { behavior: 'immediate' },
    );
  }

  /**
   * Sets the metadata of all tracks of an album, which keeps its id, also under another name. Runs inside the caller's
   * transaction. Throws `not_found` or `invalid`.
   */
  function setAlbumMetadata(albumId: AlbumId, changes: ReadonlyMap<TrackId, TypedMetadata>): void {
    const tracksWithChanges = [...changes].map(([id, metadata]) => {
      assertVisible(metadata);
      const track = findStoredTrack(id);
      if (!track) throw notFound('track', id);
      return { id, folder: track.folder, metadata, identity: toIdentity(track.identity, metadata) };
    });
    const [firstTrack] = tracksWithChanges;
    if (!firstTrack) return;
    writer.batch(() => {
      const { album, albumArtist, albumArtists, year, edition } = firstTrack.metadata;
      const isRenamed = [album, albumArtist, albumArtists].some((name) => name !== undefined);
      if (isRenamed) writer.renameAlbum(albumId, firstTrack.identity, firstTrack.folder);
      // other values would let the rule of releases.ts join the album with another one of its name, or divide it
      if (isRenamed || year !== undefined || edition !== undefined) writer.fixAlbumsOfName(albumId);
      for (const { id, identity, folder } of tracksWithChanges) writer.setIdentity(id, identity, folder);
      if (firstTrack.metadata.compilation !== undefined)
        writer.setCompilation(albumId, firstTrack.metadata.compilation);
      writer.noteAlbumOf(firstTrack.id);
    });
  }

  return { setMetadata, setAlbumMetadata };
}

function toIdentity(storedIdentity: TrackIdentity, metadata: TypedMetadata): TrackIdentity {
  const { artists, artist } = creditOf(storedIdentity, metadata);
  const { albumArtists } = metadata;
  const typedArtist = albumArtists === undefined ? metadata.albumArtist : albumArtists.join(', ') || null;
  const album = metadata.album === undefined ? storedIdentity.album : (metadata.album ?? undefined);
  const isSameName = (a: string | null | undefined, b: string | undefined): boolean =>
    identityKey(a ?? '') === identityKey(b ?? '');
  const isSameAlbum =
    album !== undefined &&
    isSameName(album, storedIdentity.album) &&
    (typedArtist === undefined || isSameName(typedArtist, storedIdentity.albumArtist));
  return {
    title: metadata.title ?? storedIdentity.title,
    artists,
    artist,
    album,
    albumArtist: typedArtist ?? (isSameAlbum && typedArtist === undefined ? storedIdentity.albumArtist : undefined),
    albumArtists: albumArtists ?? (isSameAlbum ? storedIdentity.albumArtists : undefined),
    compilation: (metadata.compilation ?? (isSameAlbum && storedIdentity.compilation)) || undefined,
    releaseGroupMbid: isSameAlbum ? storedIdentity.releaseGroupMbid : undefined,
    releaseMbid: isSameAlbum ? storedIdentity.releaseMbid : undefined,
    genres: metadata.genres ?? genresOf(metadata.genre) ?? storedIdentity.genres,
    edition: metadata.edition === undefined ? storedIdentity.edition : asList(metadata.edition),
    releaseType: metadata.releaseTypes?.slice() ?? storedIdentity.releaseType,
    albumSort: metadata.albumSort === undefined ? storedIdentity.albumSort : metadata.albumSort,
    ...(fieldsFrom((field) =>
      metadata[field] === undefined ? storedIdentity[field] : (metadata[field] ?? undefined),
    ) as KnownFields),
    recordingMbid: storedIdentity.recordingMbid,
    acoustidId: storedIdentity.acoustidId,
    charset: storedIdentity.charset,
    lyrics: storedIdentity.lyrics,
    provenance: {
      ...storedIdentity.provenance,
      ...originsOf(metadata),
      ...(!isSameAlbum && album !== undefined && { [TYPED_RELEASE]: 'manual' as const }),
    },
  };
}

const asList = (value: string | null): string[] | null => (value === null ? null : [value]);
const genresOf = (genre: string | null | undefined): string[] | undefined =>
  genre === undefined ? undefined : (asList(genre) ?? []);

function creditOf(
  storedIdentity: TrackIdentity,
  { artist, artists = [] }: TypedMetadata,
): Pick<TrackIdentity, 'artist' | 'artists'> {
  if (artists.length > 0) return { artists, artist: artist ?? undefined };
  if (artist === undefined) return { artists: storedIdentity.artists, artist: storedIdentity.artist };
  return { artists: artist === null ? [] : [artist], artist: undefined };
}

/** Returns the origins of the typed fields; other fields keep their origins. */
function originsOf(metadata: TypedMetadata): Record<string, Origin> {
  const presentFields = (['title', 'artist', 'album', 'genre', 'edition', 'albumSort', ...FIELD_LIST] as const).filter(
    (field) => metadata[field] !== undefined,
  );
  const impliedFields = [
    ...(metadata.artists && metadata.artists.length > 0 ? ['artist'] : []),
    ...([metadata.albumArtist, metadata.albumArtists, metadata.compilation].some((value) => value !== undefined)
      ? ['album']
      : []),
    ...(metadata.genres === undefined ? [] : ['genre']),
    ...(metadata.releaseTypes === undefined ? [] : ['releaseType']),
  ];
  return Object.fromEntries([...presentFields, ...impliedFields].map((field) => [field, 'manual']));
}

/** Rejects names without visible characters. */
function assertVisible({ title, artist, artists = [], album, albumArtists = [] }: TypedMetadata): void {
  const message = 'must contain a visible character';
  const faults = [
    ['title', title],
    ['artist', artist],
    ...artists.map((name) => ['artists', name]),
    ['album', album],
    ...albumArtists.map((name) => ['album_artists', name]),
  ]
    .filter(([, name]) => name !== undefined && name !== null)
    .filter(([, name]) => identityKey(name ?? '') === '')
    .map(([field]) => ({ field: field ?? '', message }));
  if (faults.length > 0) throw invalid(faults);
}
