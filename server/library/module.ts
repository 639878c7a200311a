import { parseCustomTags } from '../db/custom-tags.ts';
import type { ArtistId, TrackId, UserId } from '../db/ids.ts';
import type { Base, Module } from '../module.ts';
import type { StorageOffer } from '../storage/module.ts';
import { createAlbumRegroupings } from './albums/album-regroupings.ts';
import type { AnnotationPart } from './tracks/annotations.ts';
import { creditRoutes } from './credits/credit-routes.ts';
import { createLibraryChanges } from './change-announcements.ts';
import { createEditing } from './edits/edit-rights.ts';
import { createListThread } from './lists/list-pages.ts';
import { createMeasuredWriter } from './tracks/measured.ts';
import { editRoutes } from './edits/edit-routes.ts';
import { folderRoutes } from './folders/folder-routes.ts';
import { libraryRoutes } from './routes.ts';
import { regroupingRoutes } from './albums/regrouping-routes.ts';
import { rebuildSearch } from './search-index/search-rebuild.ts';
import { createLibraryService } from './service.ts';
import { COMPARE_GONE, REGROUP_ALBUMS, regroupTask, SETTLE_CREDITS, settleCreditsTask } from './tasks.ts';
import { createRestoredFiles } from './trash/restored-files.ts';
import { createReturnedAudio } from './tracks/returned-audio.ts';
import { createMerges } from './merges/merges.ts';
import { mergeRoutes } from './merges/merge-routes.ts';
import { createTrackMerge, type TrackMergePart } from './merges/track-merge.ts';
import type { TagRatingListener } from './tracks/tag-ratings.ts';
import { fillFromStoredTags } from './tracks/fill-from-stored-tags.ts';
import { createTrackWriter } from './tracks/track-writer.ts';
import { tagRoutes } from './tags/tag-routes.ts';
import { trashRoutes } from './trash/trash-routes.ts';
import { createTrash, TRASH_RETENTION_MS } from './trash/trash.ts';
import { handledBy } from '../jobs/tasks.ts';
import { separatorsOfSetting } from '../media/tag-separators.ts';

const PURGE_INTERVAL_MS = 3_600_000;

export type LibraryOffer = ReturnType<typeof libraryModule>['offers'];

export function libraryModule({
  config,
  paths,
  log,
  now,
  nowForAges,
  db,
  events,
  jobs,
  settings,
  musicFolders,
  storage,
  leases,
  audioStore,
}: Base & Pick<StorageOffer, 'storage' | 'leases' | 'audioStore'>) {
  const annotationParts: AnnotationPart[] = [];
  const artistSeparators = separatorsOfSetting(() => settings.get('ARTIST_SEPARATORS'));
  const settleCredits = (artistId: ArtistId): void => void jobs.tryEnqueue(SETTLE_CREDITS, { artistId });
  const tagRatingListeners: TagRatingListener[] = [];
  const tracks = createTrackWriter({
    db,
    now,
    annotationParts,
    onSlashedName: settleCredits,
    artistSeparators,
    tagRatingListeners,
  });
  const changes = createLibraryChanges({ db, events });
  const listThread = createListThread({ workerUrl: paths.workers.lists, databasePath: config.paths.database });
  const library = createLibraryService({
    db,
    log,
    now,
    storage,
    leases,
    tracks,
    listThread,
    isOffline: musicFolders.isOffline,
    folderKeys: () => musicFolders.roots().map(({ key }) => key),
    settleLater: settleCredits,
    artistSeparators,
    customTags: () => parseCustomTags(settings.get('CUSTOM_TAGS')),
  });
  const editing = createEditing(db.$client);
  const regroupings = createAlbumRegroupings({ db, tracks, now });
  let isIgnored = (_path: string): Promise<boolean> => Promise.resolve(false);
  const returnedAudio = createReturnedAudio({ db, audioStore, isIgnored: (path) => isIgnored(path) });
  const lookForFiles = createRestoredFiles({
    db,
    audioStore,
    isOffline: musicFolders.isOffline,
    markLost,
    recheckAudio,
  });
  const trash = createTrash({
    db,
    tracks,
    now,
    onRestored: changes.announceRestored,
    lookForFiles,
    release: library.release,
  });
  let purgeTimer: NodeJS.Timeout | undefined;
  let stopListening: (() => void) | undefined;
  const movers: TrackMergePart[] = [];
  const merge = createTrackMerge({ db, tracks, movers });
  const merges = createMerges({ db, tracks, merge, movers, trash, now });

  const faultListeners: ((id: TrackId) => void)[] = [];
  function markLost(id: TrackId, uri: string): void {
    if (!library.markMissing(id, uri)) return;
    changes.announceAudioLost(id);
    changes.announceChange();
  }

  function markReturned(id: TrackId, uri: string): void {
    if (!library.markAvailable(id, uri)) return;
    changes.announceAudioReturned(id);
    changes.announceChange();
  }

  /** Makes a missing track available if its audio exists again; returns whether it does. */
  async function recheckAudio(id: TrackId): Promise<boolean> {
    const uri = await returnedAudio.findUri(id);
    if (uri !== undefined) markReturned(id, uri);
    return uri !== undefined;
  }

  const toTrash = (by: UserId, id: TrackId): void =>
    void db.transaction((tx) => trash.put(tx, by, id, () => changes.announceDeleted(id)), { behavior: 'immediate' });

  /**
   * Announces restored tracks and checks their files: files of tracks in the trash, or of merged ones, may have been
   * replaced or moved meanwhile.
   */
  function noteRestored(): void {
    changes.announceChange();
    void jobs.tryEnqueue(COMPARE_GONE, {});
  }

  /** Regroups albums of an earlier version after a week, unless somebody did so before. */
  async function regroupWhenDue(): Promise<void> {
    try {
      await regroupings.releaseUnchanged();
      // the end of the batch regroups names that were noted since
      db.transaction(() => tracks.batch(() => {}), { behavior: 'immediate' });
      const dueAt = regroupings.dueAt();
      if (dueAt && dueAt <= now()) await jobs.tryEnqueue(REGROUP_ALBUMS, { by: null });
    } catch (err) {
      log.error({ err }, 'albums of an earlier version could not be compared');
    }
  }

  return {
    offers: {
      library,
      editing,
      trash,
      tracks,
      measured: createMeasuredWriter(db.$client),
      changes,
      readAside: listThread.readAside,
      merges,
      /** Registers how a module moves its data on tracks when tracks are merged. */
      onMerge: (part: TrackMergePart): void => void movers.push(part),
      /** Registers how a module moves its data on albums and artists. */
      onAnnotationsMove: (part: AnnotationPart): void => void annotationParts.push(part),
      /** Adds a listener that is called when the tags of a track have another rating or other counts. */
      onTagRating: (listener: TagRatingListener): void => void tagRatingListeners.push(listener),
      /**
       * Reports that the audio of a track turned out to be missing at a URI, or is back there. Time may have passed
       * since: a report counts only if the track still has its audio at that URI.
       */
      audio: {
        noteLost(id: TrackId, uri: string): void {
          markLost(id, uri);
          for (const listener of faultListeners) listener(id);
        },
        /** Marks the audio as lost when nothing can repair it now. */
        markLost,
        /** Reports that the file exists, but its checksum differs from the stored one. */
        noteDamaged(id: TrackId): void {
          for (const listener of faultListeners) listener(id);
        },
        onFault: (listener: (id: TrackId) => void): void => void faultListeners.push(listener),
        markReturned,
        /** Sets the function that says whether scans ignore the folder of a file. */
        askIgnored(isPathIgnored: (path: string) => Promise<boolean>): void {
          isIgnored = isPathIgnored;
        },
        listMissing: returnedAudio.listMissing,
        recheckAudio,
      },
    },
    routes: [
      ...libraryRoutes({ library, editing, toTrash, libraryChanged: changes.announceEdit }),
      ...creditRoutes(library),
      ...tagRoutes(library.tags),
      ...editRoutes({ history: library.editHistory, merges, library, editing, libraryChanged: changes.announceEdit }),
      ...folderRoutes({ library, musicFolders }),
      ...trashRoutes({ trash, library, onRestored: noteRestored }),
      ...mergeRoutes({ merges, library, lookForFiles, libraryChanged: noteRestored }),
      ...regroupingRoutes({ regroupings, library, jobs, libraryChanged: changes.announceEdit }),
    ],
    tasks: [
      handledBy(SETTLE_CREDITS, settleCreditsTask({ library, libraryChanged: changes.announceChange })),
      handledBy(REGROUP_ALBUMS, regroupTask({ regroupings, libraryChanged: changes.announceEdit })),
    ],
    resume(): void {
      rebuildSearch({ db, search: tracks.search, log }).catch((err: unknown) => {
        log.error({ err }, 'the search index could not be rebuilt');
      });
      fillFromStoredTags({ db, tracks, log }).catch((err: unknown) => {
        log.error({ err }, 'the credits and tags of tracks could not be read');
      });
    },
    start(): void {
      stopListening = settings.onChange(['ARTIST_SEPARATORS'], () =>
        library.listDivisibleArtists().forEach(settleCredits),
      );
      const purge = (): void =>
        void trash
          .purgeOld(nowForAges())
          .then(() => library.editHistory.purgeOld(nowForAges()))
          .then(() => tracks.forgetOldAnnotations(new Date(nowForAges().getTime() - TRASH_RETENTION_MS)))
          .then(() => regroupings.purgeOld(new Date(nowForAges().getTime() - TRASH_RETENTION_MS)))
          .catch((err: unknown) => log.error({ err }, 'expired items could not be deleted'));
      const everyHour = (): void => {
        purge();
        void regroupWhenDue();
      };
      purgeTimer = setInterval(everyHour, PURGE_INTERVAL_MS).unref();
      everyHour();
    },
    stop(): void {
      stopListening?.();
      clearInterval(purgeTimer);
    },
    close: listThread.close,
  } satisfies Module;
}
