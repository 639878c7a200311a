import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { StorageOffer } from '../storage/module.ts';
import { createReaderPool } from './reader-pool.ts';
import { createSourceFiles } from './source-files.ts';
import { createStoreFile } from './store-file.ts';
import { createTagReader } from './tag-reader.ts';

export type FilesOffer = ReturnType<typeof filesModule>['offers'];

type FilesModuleDeps = Base & Pick<StorageOffer, 'storage' | 'leases'> & Pick<LibraryOffer, 'changes'>;

export function filesModule({ paths, log, db, storage, leases, changes }: FilesModuleDeps) {
  const readers = { workerUrl: paths.workers.reader, log };
  const [reader, scanReader] = [createReaderPool(readers), createReaderPool(readers)];
  const sourceFiles = createSourceFiles({ db });
  changes.onDeleted(sourceFiles.noteDeleted);
  changes.onAudioLost(sourceFiles.noteGone);
  return {
    offers: {
      sourceFiles,
      /** For single files: uploads and the like do not wait behind a scan. */
      reader,
      scanReader,
      readTags: createTagReader({ reader }),
      storeFile: createStoreFile({ storage, leases, reader }),
    },
    close: async (): Promise<void> => void (await Promise.all([reader.close(), scanReader.close()])),
  } satisfies Module;
}
