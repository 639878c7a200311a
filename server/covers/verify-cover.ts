// Compares a stored cover, or picture of an artist, with the hash in its row and repairs it, from the backup or from
// the files it was found in. Holds the album's lock, so that a simultaneous upload is not mistaken for damage.
import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import { artistPictures } from '../db/schema.ts';
import { AppError, messageOf } from '../errors.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { DamagedObjectError } from '../storage/file-errors.ts';
import { coverKey } from '../storage/local-paths.ts';
import type { Storage } from '../storage/storage.ts';
import { OF_ARTISTS, type ArtistPictures } from './artist-pictures.ts';
import { isOutOfReach, listCandidates } from './nearby-pictures.ts';
import type { EmbeddedPictures } from './embedded-pictures.ts';
import type { Locks } from '../runtime/locks.ts';
import { checkPicture, UnusablePicture, type Cover } from './picture.ts';
import { findCoverRow, upsertCover, type CoverRow, type CoverSources } from './queries.ts';

/** Restores the object of a key; returns `healed`, or why it could not. */
export type RepairCover = (key: string, etag: string) => Promise<string>;

/** `none`: the album no longer has a cover. `healed`: where the repaired one came from. */
export type CoverVerdict =
  | 'good'
  | 'none'
  | {
      key: string;
      kind: 'damaged' | 'missing' | 'unreadable';
      healed: 'backup' | 'source' | null;
      reason: string | null;
    };

interface CoverCheckDeps {
  db: MainDb;
  now: () => Date;
  storage: Storage;
  audioStore: AudioStore;
  sources: CoverSources;
  embedded: EmbeddedPictures;
  locked: Locks<AlbumId>;
  /** The cover was restored, or replaced with another. */
  onHealed: (albumId: AlbumId) => Promise<void>;
  pictures: Pick<ArtistPictures, 'forget' | 'returned'>;
  /** Whether pictures of artists are looked for at Commons. */
  asksCommons: () => boolean;
}

export function createCoverCheck({
  db,
  now,
  storage,
  audioStore,
  sources,
  embedded,
  locked,
  onHealed,
  pictures,
  asksCommons,
}: CoverCheckDeps) {
  async function judge(
    key: string,
    etag: string,
  ): Promise<{ kind: 'good' | 'damaged' | 'missing' | 'unreadable'; reason: string | null }> {
    try {
      const hash = createHash('sha256');
      for await (const piece of (await storage.open(key)).stream as AsyncIterable<Buffer>) hash.update(piece);
      return { kind: hash.digest('hex').startsWith(etag) ? 'good' : 'damaged', reason: null };
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return { kind: 'missing', reason: null };
      if (error instanceof DamagedObjectError) return { kind: 'damaged', reason: null };
      if (!(await storage.isUp())) throw error; // not a fault of this cover
      return { kind: 'unreadable', reason: messageOf(error) };
    }
  }

  /** Finds the same picture in the local files, or the first usable one if the lost one came from there too. */
  async function remake({ albumId, etag, origin }: CoverRow): Promise<boolean> {
    let first: { cover: Cover; origin: CoverRow['origin'] } | undefined;
    for (const candidate of listCandidates(albumId, { sources, audioStore, embedded })) {
      const bytes = await candidate.read().catch(undefinedIfUnusable);
      const cover = bytes && (await checkPicture(bytes).catch(undefinedIfUnusable));
      if (!cover) continue;
      if (cover.etag === etag) return keep(albumId, cover, origin);
      first ??= { cover, origin: candidate.origin };
    }
    return (
      first !== undefined && origin !== 'manual' && origin !== 'archive' && keep(albumId, first.cover, first.origin)
    );
  }

  async function keep(albumId: AlbumId, cover: Cover, origin: CoverRow['origin']): Promise<true> {
    const key = coverKey(albumId, cover.ext);
    await storage.put(key, cover.bytes, { contentType: cover.mime });
    upsertCover(db, { albumId, key, etag: cover.etag, origin, checkedAt: now() });
    return true;
  }

  /** Both throw `unavailable` while the storage is down, `storage_full`. */
  const ofAlbum = (albumId: AlbumId, heal: RepairCover | undefined): Promise<CoverVerdict> =>
    locked(albumId, async () => {
      const row = findCoverRow(db, albumId);
      if (row?.key == null || row.etag === null) return 'none';
      const { key } = row;
      const { kind, reason } = await judge(key, row.etag);
      if (kind === 'good') return 'good';
      const outcome = await heal?.(key, row.etag);
      const healed = outcome === 'healed' ? 'backup' : (await remake(row)) ? 'source' : null;
      if (healed !== null) await onHealed(albumId);
      return { key, kind, healed, reason: healed === null ? (outcome ?? reason) : null };
    });

  /**
   * What was found, rather than chosen, is forgotten where it cannot be repaired, so that it is found again. Where it
   * would not be, the row stays: the backup may only be away.
   */
  const ofArtist = (id: number, heal: RepairCover | undefined): Promise<CoverVerdict> =>
    locked(OF_ARTISTS, async () => {
      const row = db.select().from(artistPictures).where(eq(artistPictures.id, id)).get();
      if (row?.key == null || row.etag === null) return 'none';
      const { key, origin } = row;
      const { kind, reason } = await judge(key, row.etag);
      if (kind === 'good') return 'good';
      const outcome = await heal?.(key, row.etag);
      if (outcome === 'healed') {
        pictures.returned();
        return { key, kind, healed: 'backup', reason: null };
      }
      const isFoundAgain = origin === 'folder' || (origin === 'commons' && asksCommons());
      if (!isFoundAgain || kind === 'unreadable') return { key, kind, healed: null, reason: outcome ?? reason };
      await pictures.forget(row);
      return { key, kind, healed: null, reason: 'it will be looked for again' };
    });

  return { ofAlbum, ofArtist };
}

function undefinedIfUnusable(error: unknown): undefined {
  if (!(error instanceof UnusablePicture) && !isOutOfReach(error)) throw error;
}
