// Proves that a stored cover is the picture that its row knows, and puts it right where it is not: from the backup, or
// from where it was found. Inside the album's lock, so that a picture that a person chooses at the same moment is never
// taken for a damaged one.
import { createHash } from 'node:crypto';
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import { AppError, messageOf } from '../errors.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { coverKey } from '../storage/local-paths.ts';
import type { Storage } from '../storage/storage.ts';
import { isOutOfReach, listCandidates } from './nearby-pictures.ts';
import type { EmbeddedPictures } from './embedded-pictures.ts';
import type { Locks } from './locks.ts';
import { checkPicture, UnusablePicture, type Cover } from './picture.ts';
import { findCoverRow, upsertCover, type CoverRow, type CoverSources } from './queries.ts';

/** Stores the right bytes under the key; `healed`, or words when it could not. */
export type RepairCover = (key: string, etag: string) => Promise<string>;

/** `none`: the album has no cover any more. `healed` says from where. */
export type CoverVerdict =
  | 'good'
  | 'none'
  | {
      key: string;
      kind: 'damaged' | 'missing' | 'unreadable';
      healed: 'backup' | 'source' | null;
      reason: string | null;
    };

export interface CoverCheckDeps {
  db: MainDb;
  now: () => Date;
  storage: Storage;
  audioStore: AudioStore;
  sources: CoverSources;
  embedded: EmbeddedPictures;
  locked: Locks<AlbumId>;
  /** The album's picture is there again, or is another one. */
  onHealed: (albumId: AlbumId) => Promise<void>;
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
      if (!(await storage.isUp())) throw error; // it says nothing of this cover
      return { kind: 'unreadable', reason: messageOf(error) };
    }
  }

  /** The same picture where it came from, or the first usable one there; never another than a person chose. */
  async function remake({ albumId, etag, origin }: CoverRow): Promise<boolean> {
    let first: { cover: Cover; origin: CoverRow['origin'] } | undefined;
    for (const candidate of listCandidates(albumId, { sources, audioStore, embedded })) {
      const bytes = await candidate.read().catch(passing);
      const cover = bytes && (await checkPicture(bytes).catch(passing));
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

  /** Throws only what says nothing of this cover: `unavailable` while the storage is down, `storage_full`. */
  return (albumId: AlbumId, heal: RepairCover | undefined): Promise<CoverVerdict> =>
    locked(albumId, async () => {
      const row = findCoverRow(db, albumId);
      if (row?.key == null || row.etag === null) return 'none';
      const { key } = row;
      const { kind, reason } = await judge(key, row.etag);
      if (kind === 'good') return 'good';
      const told = await heal?.(key, row.etag);
      const healed = told === 'healed' ? 'backup' : (await remake(row)) ? 'source' : null;
      if (healed !== null) await onHealed(albumId);
      return { key, kind, healed, reason: healed === null ? (told ?? reason) : null };
    });
}

/** A source that cannot be read now, or holds no picture, is passed over. */
function passing(error: unknown): undefined {
  if (!(error instanceof UnusablePicture) && !isOutOfReach(error)) throw error;
}
