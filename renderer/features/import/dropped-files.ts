// Returns the files dropped on the window; dropped folders are read recursively.

export async function filesOf(items: DataTransferItemList): Promise<File[]> {
  // Entries are collected before the first await, because the list is empty after the event. An item without an entry
  // is a plain file.
  const dropped = [...items]
    .filter((item) => item.kind === 'file')
    .map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const lists = await Promise.all(
    dropped
      .filter((item) => item !== null)
      .map((item) => (item instanceof File ? Promise.resolve([item]) : walk(item))),
  );
  return lists.flat();
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
