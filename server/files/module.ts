import { parseCustomTags } from '../db/custom-tags.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { StorageOffer } from '../storage/module.ts';
import { findPathIgnoreReason } from './ignore-files.ts';
import { createReaderPool } from './reader-pool.ts';
import { createQuota } from './quota.ts';
import { createSourceFiles } from './source-files.ts';
import { createStoreFile } from './store-file.ts';
import { createTagReader } from './tag-reader.ts';
import { rereadTags } from './reread-tags.ts';
import { separatorsFrom } from './separator-settings.ts';
import { splitStoredGenres } from '../library/tracks/split-stored-genres.ts';

/** The interval at which the trash is emptied when space is short, because scans and other programs fill disks, too. */
const SPACE_CHECK_INTERVAL_MS = 600_000;

export type FilesOffer = ReturnType<typeof filesModule>['offers'];

type FilesModuleDeps = Base &
  Pick<StorageOffer, 'storage' | 'leases' | 'audioStore'> &
  Pick<LibraryOffer, 'changes' | 'tracks' | 'trash' | 'audio'>;

export function filesModule({ config, paths, log, db, settings, changes, tracks, trash, ...deps }: FilesModuleDeps) {
  const { storage, leases, audioStore, audio, musicFolders } = deps;
  const separators = () => separatorsFrom((name) => settings.get(name));
  const customTags = () => parseCustomTags(settings.get('CUSTOM_TAGS'));
  const readers = { workerUrl: paths.workers.reader, log, separators, customTags };
  const [reader, scanReader] = [createReaderPool(readers), createReaderPool(readers)];
  const sourceFiles = createSourceFiles({ db });
  const readTags = createTagReader({ reader });
  const quota = createQuota({ db, settings, storage, trash, tmpDir: config.paths.tmp });
  let spaceTimer: NodeJS.Timeout | undefined;
  let stopListening: (() => void) | undefined;
  const splitGenres = async (): Promise<void> => {
    try {
      const trackCount = await splitStoredGenres(db, tracks, separators().genres);
      if (trackCount > 0) changes.announceChange();
      if (trackCount > 0) log.info({ tracks: trackCount }, 'split genres at their separators');
    } catch (err) {
      if (db.$client.open) log.error({ err }, 'cannot split genres at their separators');
    }
  };
  audio.askIgnored(async (path) => {
    const ignoredNames = settings.get('LOCAL_MEDIA_IGNORE');
    return (await findPathIgnoreReason(musicFolders.roots(), path, { isFolder: false, ignoredNames })) !== undefined;
  });
  changes.onDeleted(sourceFiles.noteDeleted);
  changes.onAudioLost(sourceFiles.noteGone);
  changes.onAudioReturned(sourceFiles.noteReturned);
  return {
    offers: {
      sourceFiles,
      /** Reads single files, such as uploads, which must not wait for a scan. */
      reader,
      scanReader,
      readTags,
      storeFile: createStoreFile({ storage, leases, reader }),
      quota,
    },
    resume(): void {
      void splitGenres();
      const libraryChanged = changes.announceChange;
      rereadTags({
        db,
        audioStore,
        readTags,
        setMore: (id, moreTags) => tracks.setMore(id, moreTags),
        updateCredits: tracks.updateCredits,
        libraryChanged,
        log,
      }).catch((err: unknown) => {
        log.error({ err }, 'cannot read tags again for new fields');
      });
    },
    start(): void {
      stopListening = settings.onChange(['GENRE_SEPARATORS'], splitGenres);
      const ensureFreeSpace = (): void =>
        void quota.reclaimSpace(0).catch((err: unknown) => log.error({ err }, 'cannot check the free space'));
      spaceTimer = setInterval(ensureFreeSpace, SPACE_CHECK_INTERVAL_MS).unref();
      ensureFreeSpace();
    },
    stop(): void {
      clearInterval(spaceTimer);
      stopListening?.();
    },
    close: async (): Promise<void> => void (await Promise.all([reader.close(), scanReader.close()])),
  } satisfies Module;
}
