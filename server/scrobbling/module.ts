import { createSealer } from '../config/sealed-text.ts';
import type { Secrets } from '../config/secrets.ts';
import type { UserId } from '../db/ids.ts';
import type { HistoryOffer } from '../history/module.ts';
import { createTrackMatcher } from '../history/matcher.ts';
import { handledBy } from '../jobs/tasks.ts';
import type { LikesOffer } from '../likes/module.ts';
import type { Base, Module } from '../module.ts';
import { createTokenBucket } from '../outbound/token-bucket.ts';
import { userAgentOf } from '../outbound/user-agent.ts';
import { createScrobbleAccounts } from './accounts.ts';
import { createAudioscrobbler } from './audioscrobbler.ts';
import { createListenBrainz } from './listenbrainz.ts';
import { createLoveSync } from './loves.ts';
import { createMaloja } from './maloja.ts';
import { createPlaySending } from './plays.ts';
import { createScrobbleQueries } from './queries.ts';
import { scrobblingRoutes } from './routes.ts';
import { createAskService, type Scrobbler, type ScrobblerName } from './scrobblers.ts';
import { SCROBBLE_TASK, SYNC_LOVES } from './tasks.ts';

export interface ScrobblingTuning {
  /** Maximum requests per second to each service. */
  scrobblesPerSecond?: number;
}

type ScrobblingModuleDeps = Base &
  Pick<HistoryOffer, 'onPlays' | 'onPlaying'> & {
    likes: LikesOffer;
    secrets: Secrets;
    tuning: ScrobblingTuning;
  };

/** Interval at which loved songs are fetched. */
const LOVES_INTERVAL_MS = 86_400_000;
const CHECK_INTERVAL_MS = 3_600_000;
/** Libre.fm accepts any key of this form, and issues none. */
const LIBREFM_KEY = 'tonearm-tonearm-tonearm-tonearm-';
const LASTFM_API = 'https://ws.audioscrobbler.com';
const LASTFM_PAGE = 'https://www.last.fm/api/auth/';

export function scrobblingModule({
  version,
  log,
  now,
  db,
  settings,
  jobs,
  onPlays,
  onPlaying,
  likes,
  secrets,
  tuning,
}: ScrobblingModuleDeps) {
  const queries = createScrobbleQueries({ db });
  const userAgent = (): string => userAgentOf(version, settings.get('CONTACT'));
  const newAsk = () =>
    createAskService({ userAgent, bucket: createTokenBucket({ perSecond: tuning.scrobblesPerSecond ?? 1 }) });
  const lastfmBase = (): string => settings.get('LASTFM_BASE_URL');
  const librefmBase = (): string => settings.get('LIBREFM_BASE_URL');
  const scrobblers: Record<ScrobblerName, Scrobbler> = {
    lastfm: createAudioscrobbler({
      title: 'Last.fm',
      ask: newAsk(),
      isEnabled: () => settings.get('LASTFM_API_KEY') !== undefined && settings.get('LASTFM_API_SECRET') !== undefined,
      baseUrl: lastfmBase,
      pageUrl: () =>
        new URL(lastfmBase()).origin === LASTFM_API ? LASTFM_PAGE : new URL('/api/auth/', lastfmBase()).href,
      key: () => settings.get('LASTFM_API_KEY'),
      secret: () => settings.get('LASTFM_API_SECRET'),
    }),
    librefm: createAudioscrobbler({
      title: 'Libre.fm',
      ask: newAsk(),
      isEnabled: () => settings.get('LIBREFM_ENABLED'),
      baseUrl: librefmBase,
      pageUrl: () => new URL('/api/auth/', librefmBase()).href,
      key: () => LIBREFM_KEY,
      secret: () => LIBREFM_KEY,
    }),
    listenbrainz: createListenBrainz({
      ask: newAsk(),
      baseUrl: () => settings.get('LISTENBRAINZ_BASE_URL'),
      isEnabled: () => settings.get('LISTENBRAINZ_ENABLED'),
      version,
    }),
    maloja: createMaloja({ ask: newAsk(), isEnabled: () => settings.get('MALOJA_ENABLED') }),
  };

  /** Runs the job at once, even if its next attempt is due later. */
  async function runNow(task: typeof SCROBBLE_TASK, userId: UserId, service: ScrobblerName) {
    const job = await jobs.tryEnqueue(task, { userId, service });
    if (!job || job.created || job.status !== 'waiting') return;
    jobs.cancel(job.id);
    await jobs.tryEnqueue(task, { userId, service });
  }

  const accounts = createScrobbleAccounts({
    queries,
    scrobblers,
    sealer: createSealer(secrets.compatSecretKey, 'tonearm scrobbling token v1'),
    now,
    isSuperuser: queries.isSuperuser,
    async onConnected(userId, service) {
      await runNow(SCROBBLE_TASK, userId, service);
      await runNow(SYNC_LOVES, userId, service);
    },
  });
  const plays = createPlaySending({ log, now, queries, scrobblers, accounts });
  const matcher = createTrackMatcher({ db });
  const loves = createLoveSync({ now, queries, scrobblers, accounts, likes, matcher });

  onPlays({
    onRecorded: queries.queue,
    afterRecorded(userId): void {
      for (const { service, isStopped } of queries.accountsOf(userId))
        if (!isStopped) void jobs.tryEnqueue(SCROBBLE_TASK, { userId, service: service as ScrobblerName });
    },
  });
  onPlaying((userId, track) => void plays.tryPlayingNow(userId, track));
  likes.onChange((userId, states) => {
    if (!states.some(({ itemType }) => itemType === 'track')) return;
    for (const { syncLoves: isSynced, isStopped, ...account } of queries.accountsOf(userId)) {
      const service = account.service as ScrobblerName;
      if (!isSynced || isStopped) continue;
      loves.noteChange({ userId, service });
      void jobs.tryEnqueue(SYNC_LOVES, { userId, service });
    }
  });

  let timer: NodeJS.Timeout | undefined;
  const syncLoves = (): void => {
    for (const accountKey of queries.lovesSyncedBefore(new Date(now().getTime() - LOVES_INTERVAL_MS)))
      void jobs.tryEnqueue(SYNC_LOVES, accountKey);
  };

  return {
    offers: {},
    routes: scrobblingRoutes({ accounts, syncLoves: (userId, service) => runNow(SYNC_LOVES, userId, service) }),
    tasks: [handledBy(SCROBBLE_TASK, plays.task), handledBy(SYNC_LOVES, loves.task)],
    resume(): void {
      accounts.sealAnew();
      for (const accountKey of queries.waiting()) void jobs.tryEnqueue(SCROBBLE_TASK, accountKey);
      syncLoves();
    },
    start(): void {
      timer = setInterval(syncLoves, CHECK_INTERVAL_MS).unref();
    },
    stop: (): void => clearInterval(timer),
  } satisfies Module;
}
