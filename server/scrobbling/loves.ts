// Synchronizes likes of tracks with loved songs at a service. The last common state is stored: a difference to it shows
// on which side something changed, so that a removed like is removed on the other side, too, and not restored.
import { setTimeout as wait } from 'node:timers/promises';
import type { TrackId, UserId } from '../db/ids.ts';
import { messageOf } from '../errors.ts';
import type { TrackMatcher } from '../history/matcher.ts';
import { songKey } from '../history/song-names.ts';
import type { Handler } from '../jobs/tasks.ts';
import type { LikeService } from '../likes/service.ts';
import type { ScrobbleAccounts } from './accounts.ts';
import type { createScrobbleQueries, LikedSong, LoveRow } from './queries.ts';
import type { LovedSong, Outcome, ScrobbleAccount, Scrobbler, ScrobblerName } from './scrobblers.ts';
import type { SYNC_LOVES } from './tasks.ts';
import { bindContext } from '../runtime/bind-context.ts';

type AccountKey = { userId: UserId; service: ScrobblerName };

interface LoveSyncDeps {
  now: () => Date;
  queries: ReturnType<typeof createScrobbleQueries>;
  scrobblers: Record<ScrobblerName, Scrobbler>;
  accounts: Pick<ScrobbleAccounts, 'open' | 'stop'>;
  likes: Pick<LikeService, 'addMany'>;
  matcher: TrackMatcher;
}

/** If more songs than this share are removed at once, that counts as a fault of the service, unless they are few. */
const MAX_REMOVED_SHARE = 0.5;
const MIN_REMOVED_COUNT = 10;

/** Thrown when the service does not accept the sign-in. */
class SignedOut extends Error {}

export function createLoveSync(deps: LoveSyncDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, { noteChange }),
    /** Handles `sync_loves`. */
    task: (async ({ userId, service }, { signal }) => {
      const accountKey = { userId: userId as UserId, service };
      const { title, lovedSongs } = context.scrobblers[service];
      const account = context.queries.findAccount(accountKey)?.syncLoves
        ? context.accounts.open(accountKey.userId, service)
        : undefined;
      if (!account || !lovedSongs) return null;
      try {
        context.changedAccounts.delete(`${userId}:${service}`);
        // pulls first, so that loves that exist at the service are not sent
        const songsBefore = await lovedSongs(account, signal);
        const firstPull =
          context.queries.findAccount(accountKey)?.lovesSyncedAt == null
            ? await pullChanges(context, accountKey, songsBefore)
            : undefined;
        let sentCount = await pushChanges(context, accountKey, account, signal);
        const { added, removed } =
          firstPull ??
          (await pullChanges(context, accountKey, sentCount > 0 ? await lovedSongs(account, signal) : songsBefore));
        while (context.changedAccounts.delete(`${userId}:${service}`))
          sentCount += await pushChanges(context, accountKey, account, signal);
        context.queries.updateAccount(accountKey, { lovesSyncedAt: context.now() });
        return { sent: sentCount, added, removed };
      } catch (error) {
        if (signal.aborted) throw error;
        if (error instanceof SignedOut) {
          context.accounts.stop(
            accountKey.userId,
            service,
            `${title} no longer accepts the sign-in (${error.message}). Sign in again.`,
          );
          return null;
        }
        context.queries.updateAccount(accountKey, {
          problem: `The likes could not be synced with ${title} (${messageOf(error)}). This will be retried later.`,
        });
        throw error;
      }
    }) satisfies Handler<typeof SYNC_LOVES>,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ now, queries, scrobblers, accounts, likes, matcher }: LoveSyncDeps) {
  /** Accounts of users who liked something during a comparison. */
  const changedAccounts = new Set<string>();
  return { now, queries, scrobblers, accounts, likes, matcher, changedAccounts };
}

const keyOf = ({ artistName, title }: { artistName: string | null; title: string }): number =>
  songKey(artistName, title);

const asLove = ({ title, artistName, recordingMbid }: LikedSong): LoveRow => ({
  songKey: keyOf({ artistName, title }),
  title,
  artistName: artistName ?? '',
  recordingMbid,
  isListed: false,
});

const setLiked = ({ likes }: Context, userId: UserId, ids: readonly TrackId[], liked: boolean): Promise<number> =>
  likes.addMany(
    userId,
    ids.map((itemId) => ({ itemType: 'track' as const, itemId })),
    { liked, rating: null },
    { onlyNews: true },
  );

/** Sends a change; returns whether the service accepted it. Throws when a retry may succeed. */
async function isAccepted(sendChange: () => Promise<Outcome>, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const outcome = await sendChange();
    if (outcome.kind === 'ok' || outcome.kind === 'refused') return outcome.kind === 'ok';
    if (outcome.kind === 'bad_token') throw new SignedOut(outcome.reason);
    if (outcome.kind !== 'busy') throw new Error(outcome.reason);
    await wait(outcome.waitMs, undefined, { signal });
  }
}

/** Sends changes of likes to the service. */
async function pushChanges(context: Context, accountKey: AccountKey, account: ScrobbleAccount, signal: AbortSignal) {
  const { setLoved, lovesByMbid = false } = context.scrobblers[accountKey.service];
  if (!setLoved) return 0;
  const songs = context.queries.likedSongs(accountKey.userId).filter(({ artistName }) => artistName !== null);
  const liked = new Map(songs.map((song) => [keyOf(song), song]));
  const likedIds = new Set(songs.map(({ id }) => id));
  const lovesBySongKey = new Map(context.queries.loves(accountKey).map((love) => [love.songKey, love]));
  let sentCount = 0;
  for (const [key, song] of liked) {
    if (lovesBySongKey.has(key) || (lovesByMbid && song.recordingMbid === null)) continue;
    const songOut = { ...song, artistName: song.artistName ?? '' };
    if (!(await isAccepted(() => setLoved(account, songOut, true, signal), signal))) continue;
    context.queries.putLove(accountKey, asLove(song));
    sentCount++;
  }
  for (const [key, love] of lovesBySongKey) {
    if (liked.has(key) || (lovesByMbid && love.recordingMbid === null)) continue;
    // a track that was deleted from the library was not unliked, and neither was a liked song with another spelling
    const id = context.matcher.find({ ...love, albumTitle: null });
    if (id === undefined || likedIds.has(id)) continue;
    await isAccepted(() => setLoved(account, { ...love, albumTitle: null, durationMs: null }, false, signal), signal);
    context.queries.removeLove(accountKey, key);
    sentCount++;
  }
  return sentCount;
}

/** Applies changes at the service to the likes. */
async function pullChanges(context: Context, accountKey: AccountKey, songs: readonly LovedSong[]) {
  context.matcher.forget();
  const liked = context.queries.likedSongs(accountKey.userId);
  const likedKeys = new Set(liked.map(keyOf));
  const knownLoves = new Map(context.queries.loves(accountKey).map((love) => [love.songKey, love]));
  const keys = new Set<number>();
  const mbids = new Set<string>();
  const news: { id: TrackId | undefined; love: LoveRow }[] = [];
  for (const { title, artistName, recordingMbid } of songs) {
    if (recordingMbid !== null) mbids.add(recordingMbid);
    if (title === null || artistName === null) continue;
    const love = { songKey: songKey(artistName, title), title, artistName, recordingMbid, isListed: true };
    keys.add(love.songKey);
    if (knownLoves.has(love.songKey)) continue;
    const id = context.matcher.find({ title, artistName, albumTitle: null, recordingMbid });
    if (likedKeys.has(love.songKey)) news.push({ id: undefined, love });
    else if (id !== undefined) news.push({ id, love });
  }
  const addedCount = await setLiked(
    context,
    accountKey.userId,
    news.flatMap(({ id }) => (id === undefined ? [] : [id])),
    true,
  );
  for (const { love } of news) context.queries.putLove(accountKey, love);
  const isAtService = ({ songKey: key, recordingMbid }: LoveRow): boolean =>
    keys.has(key) || (recordingMbid !== null && mbids.has(recordingMbid));
  // a song that the service lists under another name was never listed under this one
  const removedLoves = [...knownLoves.values()].filter((love) => love.isListed && !isAtService(love));
  if (removedLoves.length > Math.max(MIN_REMOVED_COUNT, knownLoves.size * MAX_REMOVED_SHARE))
    throw new Error(`${removedLoves.length} of ${knownLoves.size} loved songs are missing there`);
  for (const love of knownLoves.values())
    if (!love.isListed && isAtService(love)) context.queries.putLove(accountKey, { ...love, isListed: true });
  for (const love of removedLoves) {
    const ids = liked.flatMap((song) => (keyOf(song) === love.songKey ? [song.id] : []));
    const otherTrack = context.matcher.find({ ...love, albumTitle: null });
    await setLiked(
      context,
      accountKey.userId,
      [...new Set([...ids, ...(otherTrack === undefined ? [] : [otherTrack])])],
      false,
    );
    context.queries.removeLove(accountKey, love.songKey);
  }
  return { added: addedCount, removed: removedLoves.length };
}

/**
 * Notes a change of likes. Must be called before the task is enqueued for a like: a running task has already read
 * the likes.
 */
const noteChange = ({ changedAccounts }: Context, { userId, service }: AccountKey): void =>
  void changedAccounts.add(`${userId}:${service}`);
