// Stars and ratings of folders that hold the music of several artists. Subsonic clients in folder mode set them; a
// folder of one album or artist stands for that instead. Folder 0 stands for the uploads.
import type { MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { folderLikes } from '../db/schema.ts';

export interface FolderLike {
  folderId: number;
  likedAt: Date | null;
  rating: number;
}
type FolderLikeRow = RowAs<typeof folderLikes, 'folderId' | 'likedAt' | 'rating'>;

export type FolderLikes = ReturnType<typeof createFolderLikes>;

export function createFolderLikes({ db, now }: { db: MainDb; now: () => Date }) {
  const SELECT = 'SELECT folder_id AS folderId, liked_at AS likedAt, rating FROM folder_likes WHERE user_id = ?';
  const find = db.$client.prepare<[UserId, number], FolderLikeRow>(`${SELECT} AND folder_id = ?`);
  const listLiked = db.$client.prepare<[UserId], FolderLikeRow>(
    `${SELECT} AND liked_at IS NOT NULL ORDER BY liked_at DESC, folder_id DESC`,
  );
  const put = db.$client.prepare<FolderLikeRow & { userId: UserId }>(
    `INSERT INTO folder_likes (user_id, folder_id, liked_at, rating) VALUES (@userId, @folderId, @likedAt, @rating)
      ON CONFLICT DO UPDATE SET liked_at = excluded.liked_at, rating = excluded.rating`,
  );
  const toLike = ({ folderId, likedAt, rating }: FolderLikeRow): FolderLike => ({
    folderId,
    likedAt: likedAt === null ? null : new Date(likedAt),
    rating,
  });
  const rowOf = (userId: UserId, folderId: number): FolderLikeRow =>
    find.get(userId, folderId) ?? { folderId, likedAt: null, rating: 0 };

  return {
    of: (userId: UserId, folderId: number): FolderLike => toLike(rowOf(userId, folderId)),
    /** Lists the folders that are liked, the one that was liked last first. */
    listLiked: (userId: UserId): FolderLike[] => listLiked.all(userId).map(toLike),
    /** Likes or unlikes a folder; one that has that state stays as it is. */
    like(userId: UserId, folderId: number, liked: boolean): void {
      const row = rowOf(userId, folderId);
      if ((row.likedAt !== null) !== liked) put.run({ ...row, userId, likedAt: liked ? now().getTime() : null });
    },
    rate: (userId: UserId, folderId: number, rating: number): void =>
      void put.run({ ...rowOf(userId, folderId), userId, rating }),
  };
}
