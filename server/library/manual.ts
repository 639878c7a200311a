// A person says what a track is: over anything that tags or services say, now and later.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { tracks, type Origin } from '../db/schema.ts';
import { FIELD_LIST, fieldsFrom, type FieldChanges, type KnownFields } from '../db/track-fields.ts';
import { invalid, notFound } from '../errors.ts';
import { identityKey } from './fold.ts';
import { prepareKnownTracks } from './track-identity.ts';
import type { TrackIdentity, TrackWriter } from './track-writer.ts';

/** Names are given whole. Of the rest, absent leaves a field as it is and null empties it. */
export interface TypedMetadata extends FieldChanges {
  title: string;
  /** The credit as it is to be shown: `A feat. B`. */
  artist: string;
  /** The names in it; else it is one name, or several with `;` between. */
  artists?: string[] | undefined;
  album: string | null;
  albumArtist?: string | null | undefined;
  genre?: string | null | undefined;
}

export function createManualEdits({ db, tracks: writer, now }: { db: MainDb; tracks: TrackWriter; now: () => Date }) {
  const findKnown = prepareKnownTracks(db.$client);

  /** Throws `not_found`, `invalid`. Albums and artists left empty by it go. */
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
  // The identifier of another album would lead back to it.
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
    genres: typed.genre === undefined ? current.genres : typed.genre === null ? [] : [typed.genre],
    ...(fieldsFrom((field) =>
      typed[field] === undefined ? current[field] : (typed[field] ?? undefined),
    ) as KnownFields),
    recordingMbid: current.recordingMbid,
    acoustidId: current.acoustidId,
    lyrics: current.lyrics,
    provenance: { ...current.provenance, ...originsOf(typed) },
  };
}

/** What was left out keeps where it came from. */
function originsOf(typed: TypedMetadata): Record<string, Origin> {
  const optional = (['genre', ...FIELD_LIST] as const).filter((field) => typed[field] !== undefined);
  const fields = ['title', 'artist', 'album', ...optional];
  return Object.fromEntries(fields.map((field) => [field, 'manual']));
}

/** A name of which nothing can be seen is none. */
function assertVisible({ title, artist, artists = [], album }: TypedMetadata): void {
  const message = 'must have something that can be seen';
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
