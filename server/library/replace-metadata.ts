// Sets all metadata of a track by hand. It takes precedence over tags and services, now and later.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { tracks, type Origin } from '../db/schema.ts';
import { FIELD_LIST, fieldsFrom, type FieldChanges, type KnownFields } from '../db/track-fields.ts';
import { invalid, notFound } from '../errors.ts';
import { identityKey } from './sort-and-identity-keys.ts';
import { prepareKnownTracks } from './track-identity.ts';
import type { TrackIdentity } from './track-values.ts';
import type { TrackWriter } from './track-writer.ts';

/** Of the optional fields, an absent one is kept and null clears it. */
export interface TypedMetadata extends FieldChanges {
  title: string;
  /** The credit as displayed: `A feat. B`. */
  artist: string;
  /** The artists it names; without them `artist` is one name, or several separated by `;`. */
  artists?: string[] | undefined;
  album: string | null;
  albumArtist?: string | null | undefined;
  genre?: string | null | undefined;
}

export function createManualEdits({ db, tracks: writer, now }: { db: MainDb; tracks: TrackWriter; now: () => Date }) {
  const findKnown = prepareKnownTracks(db.$client);

  /** Throws `not_found` or `invalid`. Removes an album and artists that are left without tracks. */
  function setMetadata(id: TrackId, typed: TypedMetadata): void {
    assertVisible(typed);
    db.transaction(
      (tx) => {
        const track = findKnown(id);
        if (!track) throw notFound('track', id);
        writer.batch(() => writer.setIdentity(id, toIdentity(track.identity, typed), track.folder));
        tx.update(tracks)
          .set({ metadataStatus: 'manual', metadataError: null, updatedAt: now() })
          .where(eq(tracks.id, id))
          .run();
      },
      { behavior: 'immediate' },
    );
  }

  return { setMetadata };
}

function toIdentity(current: TrackIdentity, typed: TypedMetadata): TrackIdentity {
  const artists = typed.artists && typed.artists.length > 0 ? typed.artists : [typed.artist];
  const isSame = (a: string | null | undefined, b: string | undefined): boolean =>
    identityKey(a ?? '') === identityKey(b ?? '');
  // The release group of the old album would resolve to the old album again.
  const isSameAlbum =
    typed.album !== null &&
    isSame(typed.album, current.album) &&
    (typed.albumArtist === undefined || isSame(typed.albumArtist, current.albumArtist));
  return {
    title: typed.title,
    artists,
    artist: typed.artists && typed.artists.length > 0 ? typed.artist : undefined,
    album: typed.album ?? undefined,
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
    provenance: { ...current.provenance, ...originsOf(typed) },
  };
}

/** Fields that were left out keep their provenance. */
function originsOf(typed: TypedMetadata): Record<string, Origin> {
  const optional = (['genre', ...FIELD_LIST] as const).filter((field) => typed[field] !== undefined);
  const fields = ['title', 'artist', 'album', ...optional];
  return Object.fromEntries(fields.map((field) => [field, 'manual']));
}

/** Rejects names without visible characters. */
function assertVisible({ title, artist, artists = [], album }: TypedMetadata): void {
  const message = 'must contain a visible character';
  const faults = [
    ['title', title],
    ['artist', artist],
    ...artists.map((name) => ['artists', name]),
    ...(album === null ? [] : [['album', album]]),
  ]
    .filter(([, name]) => identityKey(name ?? '') === '')
    .map(([field]) => ({ field: field ?? '', message }));
  if (faults.length > 0) throw invalid(faults);
}
