// Returns the files dropped on the window; dropped folders are read recursively.
import type { ChosenFiles } from './upload-queue.ts';

export async function readDropped(dropped: readonly (File | FileSystemEntry)[]): Promise<ChosenFiles> {
  const lists = await Promise.all(
    dropped.map(async (item) =>
      item instanceof File
        ? { files: [item], inFolders: [] }
        : item.isFile
          ? { files: await walk(item), inFolders: [] }
          : { files: [], inFolders: await walk(item) },
    ),
  );
  return { files: lists.flatMap(({ files }) => files), inFolders: lists.flatMap(({ inFolders }) => inFolders) };
}

async function walk(entry: FileSystemEntry): Promise<File[]> {
  if (entry.name.startsWith('.')) return [];
  if (entry.isFile)
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  for (;;) {
    // A directory reader returns at most 100 entries at a time.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return files;
    for (const child of batch) files.push(...(await walk(child)));
  }
}
