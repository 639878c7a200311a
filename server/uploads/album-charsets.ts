// The charset of uploaded tags that do not say theirs, by all files of their album, as for a scanned folder. Files come
// one by one: those of before are decoded again as soon as a later one says more.
import type { Sqlite } from '../db/client.ts';
import type { AlbumId, TrackId, UserId } from '../db/ids.ts';
import { toIdentity } from '../files/track-draft.ts';
import { prepareDecodedTexts } from '../library/tracks/decoded-texts.ts';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import type { TrackIdentity } from '../library/tracks/track-values.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import { CHARSETS, isCharset, type Charset } from '../media/charset.ts';
import type { AudioRead } from '../media/types.ts';
import { decodeAlbum, decodeKept, decodeTags } from '../media/unmarked-text.ts';

export interface NamedRead {
  content: AudioRead;
  filename: string;
}

interface Known {
  id: TrackId;
  albumId: AlbumId;
  charset: string | null;
  isChosen: number;
}

/** As evidence; of the others, the charset is known. */
const MOST_FILES = 20;
const MOST_ALBUMS = 20;
const MOST_KNOWN = 100;

export function createUploadCharsets(
  client: Sqlite,
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity' | 'renameAlbum'>,
) {
  const replaceTexts = prepareDecodedTexts(client, tracks);
  const KNOWN = `t.id, t.album_id AS albumId, t.charset, t.provenance ->> '$.charset' IS 'manual' AS isChosen`;
  const findKnown = client.prepare<[TrackId], Known>(`SELECT ${KNOWN} FROM tracks t WHERE t.id = ?`);
  const listKnown = client.prepare<[string, Charset, UserId, number], Known>(`
    SELECT ${KNOWN} FROM albums al CROSS JOIN tracks t ON t.album_id = al.id
    WHERE al.title_sort = ? AND t.charset = ? AND t.uploaded_by = ? LIMIT ?`);
  /** The last albums, oldest first, by user and bytes of the title. */
  const recent = new Map<string, Map<TrackId, NamedRead>>();

  const keyOf = (userId: UserId, title: string): string => `${userId} ${title}`;

  /** Uploads whose album has the same bytes as its title. */
  const listSameAlbum = (userId: UserId, title: string): Known[] =>
    CHARSETS.flatMap((charset) => listKnown.all(sortKey(decodeKept(title, charset)), charset, userId, MOST_KNOWN));

  return {
    /** The texts of a file that is added; replaces those of others of its album, inside the caller's transaction. */
    settle(userId: UserId, { content, filename }: NamedRead): TrackIdentity {
      const title = content.unmarked?.album;
      if (title === undefined) return toIdentity(content, filename);
      const evidence = recent.get(keyOf(userId, title)) ?? new Map<TrackId, NamedRead>();
      const again = [...evidence.keys()].flatMap((id) => findKnown.get(id) ?? []);
      const others = listSameAlbum(userId, title).filter(({ id }) => !evidence.has(id));
      const chosen = [...again, ...others].find(({ isChosen }) => isChosen === 1)?.charset ?? undefined;
      if (isCharset(chosen)) return toIdentity({ ...decodeTags(content, chosen), isCharsetChosen: true }, filename);
      const [own = content, ...decoded] = decodeAlbum(
        [content, ...again.map(({ id }) => (evidence.get(id) as NamedRead).content)],
        others.flatMap(({ charset }) => (charset !== null && isCharset(charset) ? [charset] : [])),
      );
      const changed = again.flatMap(({ id, albumId, charset }, i) => {
        const now = decoded[i];
        const name = evidence.get(id)?.filename;
        return now && name !== undefined && now.charset !== charset
          ? [{ id, albumId, identity: { ...toIdentity(now, name), lyrics: undefined, chapters: undefined } }]
          : [];
      });
      for (const [albumId, some] of Map.groupBy(changed, (one) => one.albumId))
        replaceTexts(albumId, new Map(some.map(({ id, identity }) => [id, identity])));
      return toIdentity(own, filename);
    },

    /** Call after the file's track is committed. */
    remember(userId: UserId, id: TrackId, file: NamedRead): void {
      const title = file.content.unmarked?.album;
      if (title === undefined) return;
      const key = keyOf(userId, title);
      const album = recent.get(key) ?? new Map<TrackId, NamedRead>();
      recent.delete(key);
      recent.set(key, album);
      if (album.size < MOST_FILES) album.set(id, file);
      const [oldest] = recent.keys();
      if (recent.size > MOST_ALBUMS && oldest !== undefined) recent.delete(oldest);
    },
  };
}
