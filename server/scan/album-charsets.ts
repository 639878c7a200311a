// Finds the charset of tags that name none: it is detected from all files of a folder, both those that were just read
// and those of existing tracks. A charset that a person chose for one of them applies to all.
import type { Sqlite } from '../db/client.ts';
import { isCharset, type Charset } from '../media/charset.ts';
import { decodeAlbum, decodeTags } from '../media/unmarked-text.ts';
import type { ReadFile } from './copies/store-copies.ts';

interface StoredCharset {
  charset: string;
  isChosen: number;
}

type DetectCharsets = (files: ReadFile[]) => ReadFile[];

export function prepareAlbumCharsets(client: Sqlite, source: string): DetectCharsets {
  const listCharsets = client.prepare<[string, string], StoredCharset>(`
    SELECT t.charset, t.provenance ->> '$.charset' IS 'manual' AS isChosen
    FROM source_folders f JOIN source_files s ON s.folder_id = f.id JOIN tracks t ON t.id = s.track_id
    WHERE f.source = ? AND f.path = ? AND t.charset IS NOT NULL`);

  return (files) => {
    const filesByFolder = Map.groupBy(files.filter(isUnmarked), ({ path }) => path);
    if (filesByFolder.size === 0) return files;
    const decodedFiles = new Map<ReadFile, ReadFile>();
    for (const [path, folderFiles] of filesByFolder) {
      const storedCharsets = listCharsets
        .all(source, path)
        .filter((row): row is StoredCharset & { charset: Charset } => isCharset(row.charset));
      const chosenCharset = storedCharsets.find(({ isChosen }) => isChosen === 1)?.charset;
      const contents = folderFiles.map(({ result }) => result.content);
      const decodedContents =
        chosenCharset === undefined
          ? decodeAlbum(
              contents,
              storedCharsets.map(({ charset }) => charset),
            )
          : contents.map((content) => ({ ...decodeTags(content, chosenCharset), isCharsetChosen: true }));
      folderFiles.forEach((file, i) => {
        const content = decodedContents[i];
        if (content) decodedFiles.set(file, { ...file, result: { ...file.result, content } });
      });
    }
    return files.map((file) => decodedFiles.get(file) ?? file);
  };
}

type UnmarkedFile = ReadFile & { result: Extract<ReadFile['result'], { ok: true }> };

const isUnmarked = (file: ReadFile): file is UnmarkedFile =>
  file.result.ok && file.result.content.unmarked !== undefined;
