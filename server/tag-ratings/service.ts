// Ratings and play counts that players wrote into tags belong to the account that an administrator names. Files are
// read for them when they are new or changed; the job reads files that an earlier version has read, and gives what is
// stored to the account.
import { usernameKey } from '../auth/username.ts';
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import { whenUnlocked } from '../db/wait-for-unlock.ts';
import { AppError } from '../errors.ts';
import type { createTagPlays } from '../history/tag-plays.ts';
import type { Handler, JobContext } from '../jobs/tasks.ts';
import { NO_TAG_RATING, type TagRating } from '../library/tracks/tag-ratings.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import type { LikeService } from '../likes/service.ts';
import { UnreadableAudio, type Listening } from '../media/types.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { nameToText } from '../storage/file-names.ts';
import { createTagRatingQueries, type StoredTrack } from './queries.ts';
import type { READ_TAG_RATINGS } from './tasks.ts';

export interface TagRatingDeps {
  db: MainDb;
  settings: LiveSettings;
  likes: Pick<LikeService, 'setTagRating' | 'removeOtherTagRatings'>;
  tagPlays: Omit<ReturnType<typeof createTagPlays>, 'mergePart'>;
  tracks: Pick<TrackWriter, 'setListening'>;
  audioStore: Pick<AudioStore, 'resolve'>;
  readTags: (path: string, sourceId: string) => Promise<{ listening?: Listening | null | undefined }>;
  libraryChanged: () => void;
}

/** Number of tracks in a batch, which is read in a few milliseconds. */
const FILES_PER_BATCH = 20;
/** The number of ids per transaction, which takes a few milliseconds. */
const IDS_PER_TRANSACTION = 1_000;

interface JobResult {
  /** Files that were read for the first time by this version. */
  read: number;
  /** Tracks with a rating or a count in their tags. */
  tracks: number;
}

export function createTagRatings(deps: TagRatingDeps) {
  const queries = createTagRatingQueries(deps);
  const context: Context = { ...deps, queries };

  return {
    /** Gives what the tags of a track say now to the account. Called in the transaction that stored it. */
    onTagRating(id: TrackId, previous: TagRating, current: TagRating): void {
      const userId = findAccount(context);
      if (userId !== undefined) give(context, userId, id, previous, current);
    },
    /** Returns whether files are to be read, or what is stored belongs to another account. */
    hasWork(): boolean {
      const userId = findAccount(context);
      if (userId === undefined) return queries.isGivenToAnybody();
      return queries.findUnread() !== undefined || !queries.isGivenTo(userId);
    },
    /** Handles `read_tag_ratings`. Each batch is noted at once, so an interrupted run continues where it stopped. */
    task: (async (_payload, job) => {
      const result: JobResult = { read: 0, tracks: 0 };
      const unread = queries.findUnread();
      const fileCount =
        unread && findAccount(context) !== undefined ? queries.countUnread(unread.lastId, unread.upToId) : 0;
      const total = fileCount + queries.highestId();
      if (fileCount > 0) await readFiles(context, job, result, total);
      let userId: UserId | undefined;
      do {
        // another account may be named meanwhile, which requests no job while this one runs
        userId = findAccount(context);
        result.tracks = 0;
        await giveStored(context, job, result, total);
      } while (findAccount(context) !== userId);
      context.libraryChanged();
      return result;
    }) satisfies Handler<typeof READ_TAG_RATINGS>,
  };
}

type Context = TagRatingDeps & { queries: ReturnType<typeof createTagRatingQueries> };

/** Returns the account that the administrator named; undefined if none was named, or if it is gone. */
function findAccount({ settings, queries }: Context): UserId | undefined {
  const name = settings.get('TAG_RATINGS_ACCOUNT');
  return name === undefined ? undefined : queries.findAccount(usernameKey(name));
}

function give(
  { likes, tagPlays }: Context,
  userId: UserId,
  id: TrackId,
  previous: TagRating,
  current: TagRating,
): void {
  if (current.rating !== null || previous.rating !== null) likes.setTagRating(userId, id, current.rating);
  if (current.plays !== null || previous.plays !== null) tagPlays.set(userId, id, previous, current);
}

/** Reads the ratings of files that an earlier version has read. Throws `unavailable` while no file can be read. */
async function readFiles(context: Context, job: JobContext, result: JobResult, total: number): Promise<void> {
  const { db, queries, tracks } = context;
  const writeBatch = db.$client.transaction((rows: { track: StoredTrack; listening: Listening }[], lastId: number) => {
    for (const { track, listening } of rows)
      if (queries.hasUri(track.id, track.storageUri)) tracks.setListening(track.id, listening);
    queries.setLastRead(lastId);
  }).immediate;
  for (;;) {
    job.signal.throwIfAborted();
    const unread = queries.findUnread();
    const batch = unread ? queries.listUnread(unread.lastId, unread.upToId, FILES_PER_BATCH) : [];
    const lastTrack = batch.at(-1);
    if (!lastTrack) break;
    const answers = await Promise.all(batch.map((track) => readFile(context, track)));
    if (answers.every((answer) => answer === 'unreachable'))
      throw new AppError('unavailable', 'The files cannot be read at present. Connect the disk with the music.');
    const rows = batch.flatMap((track, index) => {
      const listening = answers[index];
      return listening && listening !== 'unreachable' ? [{ track, listening }] : [];
    });
    await whenUnlocked(() => writeBatch(rows, lastTrack.id));
    result.read += batch.length;
    job.progress(result.read, total);
    await yieldIfDue();
  }
  await whenUnlocked(() => queries.deleteUnread());
}

/** Returns what the tags of a file say; undefined if they say nothing, or if the audio is not in a local file. */
async function readFile(
  { audioStore, readTags }: Context,
  { storageUri, sourceId }: StoredTrack,
): Promise<Listening | 'unreachable' | undefined> {
  try {
    const { path } = await audioStore.resolve(storageUri);
    if (path === undefined) return undefined;
    return (await readTags(typeof path === 'string' ? path : nameToText(path), sourceId)).listening ?? undefined;
  } catch (error) {
    if (error instanceof UnreadableAudio) return undefined;
    if (error instanceof AppError) return error.code === 'unavailable' ? 'unreachable' : undefined;
    throw error;
  }
}

/** Gives everything from tags to the account, and takes it from all other accounts. */
async function giveStored(context: Context, job: JobContext, result: JobResult, total: number): Promise<void> {
  const { db, queries, likes, tagPlays } = context;
  const giveRange = db.$client.transaction((afterId: number, upToId: number): void => {
    const userId = findAccount(context);
    likes.removeOtherTagRatings(userId, { afterId, upToId });
    tagPlays.removeOthers(userId, { afterId, upToId });
    if (userId === undefined) return;
    for (const { id, ...current } of queries.listRatings(afterId, upToId)) {
      result.tracks++;
      if (current.rating !== null) likes.setTagRating(userId, id, current.rating);
      if (current.plays !== null && !tagPlays.has(userId, id)) tagPlays.set(userId, id, NO_TAG_RATING, current);
    }
  }).immediate;
  const highestId = queries.highestId();
  for (let afterId = 0; afterId < highestId; afterId += IDS_PER_TRANSACTION) {
    job.signal.throwIfAborted();
    await whenUnlocked(() => giveRange(afterId, afterId + IDS_PER_TRANSACTION));
    job.progress(Math.min(total, total - highestId + afterId + IDS_PER_TRANSACTION), total);
    await yieldIfDue();
  }
}
