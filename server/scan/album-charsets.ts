// The charset of tags that do not say theirs, by all files of a folder: those that were just read and the tracks that
// are there already. What a person chose for one of them holds for all.
import type { Sqlite } from '../db/client.ts';
import { isCharset, type Charset } from '../media/charset.ts';
import { decodeAlbum, decodeTags } from '../media/unmarked-text.ts';
import type { ReadFile } from './store-copies.ts';

interface KnownCharset {
  charset: string;
  isChosen: number;
}

type SettleCharsets = (files: ReadFile[]) => ReadFile[];

export function prepareAlbumCharsets(client: Sqlite, source: string): SettleCharsets {
  const listKnown = client.prepare<[string, string], KnownCharset>(`
    SELECT t.charset, t.provenance ->> '$.charset' IS 'manual' AS isChosen
    FROM source_folders f JOIN source_files s ON s.folder_id = f.id JOIN tracks t ON t.id = s.track_id
    WHERE f.source = ? AND f.path = ? AND t.charset IS NOT NULL`);

  return (files) => {
    const folders = Map.groupBy(files.filter(isUnmarked), ({ path }) => path);
    if (folders.size === 0) return files;
    const settled = new Map<ReadFile, ReadFile>();
    for (const [path, some] of folders) {
      const known = listKnown
        .all(source, path)
        .filter((one): one is KnownCharset & { charset: Charset } => isCharset(one.charset));
      const chosen = known.find(({ isChosen }) => isChosen === 1)?.charset;
      const reads = some.map(({ result }) => result.read);
      const decoded =
        chosen === undefined
          ? decodeAlbum(
              reads,
              known.map(({ charset }) => charset),
            )
          : reads.map((read) => ({ ...decodeTags(read, chosen), isCharsetChosen: true }));
      some.forEach((file, i) => {
        const read = decoded[i];
        if (read) settled.set(file, { ...file, result: { ...file.result, read } });
      });
    }
    return files.map((file) => settled.get(file) ?? file);
  };
}

type Unmarked = ReadFile & { result: Extract<ReadFile['result'], { ok: true }> };

const isUnmarked = (file: ReadFile): file is Unmarked => file.result.ok && file.result.read.unmarked !== undefined;
