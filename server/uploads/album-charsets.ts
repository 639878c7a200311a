// Finds the charset of uploaded tags that declare none, from all files of their album, as for a scanned folder. Files
// arrive one by one: earlier files are decoded again as soon as a later one gives more evidence.
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

export interface TaggedUpload {
  content: AudioRead;
  filename: string;
}

interface UploadedTrack {
  id: TrackId;
  albumId: AlbumId;
  charset: string | null;
  isChosen: number;
}

/**
 * Maximum number of files per album that are used as evidence; beyond these limits only the detected charset of a track
 * is used.
 */
const MAX_FILES_PER_ALBUM = 20;
const MAX_ALBUMS = 20;
const MAX_OTHER_TRACKS = 100;

export function createUploadCharsets(
  client: Sqlite,
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity' | 'renameAlbum'>,
) {
  const replaceTexts = prepareDecodedTexts(client, tracks);
  const COLUMNS = `t.id, t.album_id AS albumId, t.charset, t.provenance ->> '$.charset' IS 'manual' AS isChosen`;
  const findTrack = client.prepare<[TrackId], UploadedTrack>(`SELECT ${COLUMNS} FROM tracks t WHERE t.id = ?`);
  const listTracks = client.prepare<[string, Charset, UserId, number], UploadedTrack>(`
    SELECT ${COLUMNS} FROM albums al CROSS JOIN tracks t ON t.album_id = al.id
    WHERE al.title_sort = ? AND t.charset = ? AND t.uploaded_by = ? LIMIT ?`);
  /** The latest albums, oldest first, by user and bytes of the title. */
  const recentAlbums = new Map<string, Map<TrackId, TaggedUpload>>();

  const keyOf = (userId: UserId, title: string): string => `${userId} ${title}`;

  /** Returns the uploaded tracks whose album title has the same bytes. */
  const listSameAlbum = (userId: UserId, title: string): UploadedTrack[] =>
    CHARSETS.flatMap((charset) =>
      listTracks.all(sortKey(decodeKept(title, charset)), charset, userId, MAX_OTHER_TRACKS),
    );

  return {
    /**
     * Returns the texts of an added file, decoded with the charset of its album. If the added file shows another
     * charset for the album, the texts of the album's other files are decoded again and replaced, in the caller's
     * transaction.
     */
    decodeTexts(userId: UserId, { content, filename }: TaggedUpload): TrackIdentity {
      const title = content.unmarked?.album;
      if (title === undefined) return toIdentity(content, filename);
      const evidence = recentAlbums.get(keyOf(userId, title)) ?? new Map<TrackId, TaggedUpload>();
      const evidenceTracks = [...evidence.keys()].flatMap((id) => findTrack.get(id) ?? []);
      const otherTracks = listSameAlbum(userId, title).filter(({ id }) => !evidence.has(id));
      const chosenCharset =
        [...evidenceTracks, ...otherTracks].find(({ isChosen }) => isChosen === 1)?.charset ?? undefined;
      if (isCharset(chosenCharset))
        return toIdentity({ ...decodeTags(content, chosenCharset), isCharsetChosen: true }, filename);
      const [ownContent = content, ...decodedContents] = decodeAlbum(
        [content, ...evidenceTracks.map(({ id }) => (evidence.get(id) as TaggedUpload).content)],
        otherTracks.flatMap(({ charset }) => (charset !== null && isCharset(charset) ? [charset] : [])),
      );
      const changedTracks = evidenceTracks.flatMap(({ id, albumId, charset }, i) => {
        const decodedContent = decodedContents[i];
        const name = evidence.get(id)?.filename;
        return decodedContent && name !== undefined && decodedContent.charset !== charset
          ? [{ id, albumId, identity: { ...toIdentity(decodedContent, name), lyrics: undefined, chapters: undefined } }]
          : [];
      });
      for (const [albumId, albumTracks] of Map.groupBy(changedTracks, (track) => track.albumId))
        replaceTexts(albumId, new Map(albumTracks.map(({ id, identity }) => [id, identity])));
      return toIdentity(ownContent, filename);
    },

    /** Remembers a file as evidence. To be called after the file's track is committed. */
    remember(userId: UserId, id: TrackId, file: TaggedUpload): void {
      const title = file.content.unmarked?.album;
      if (title === undefined) return;
      const key = keyOf(userId, title);
      const album = recentAlbums.get(key) ?? new Map<TrackId, TaggedUpload>();
      recentAlbums.delete(key);
      recentAlbums.set(key, album);
      if (album.size < MAX_FILES_PER_ALBUM) album.set(id, file);
      const [oldest] = recentAlbums.keys();
      if (recentAlbums.size > MAX_ALBUMS && oldest !== undefined) recentAlbums.delete(oldest);
    },
  };
}
