import type { FilesOffer } from '../files/module.ts';
import { handledBy } from '../jobs/tasks.ts';
import { updateEpisode } from './queries.ts';
import type { Base, Module } from '../module.ts';
import { downloadEpisodeTask } from './download.ts';
import { createPodcastWeb } from './outbound.ts';
import { createRefresh } from './refresh.ts';
import { podcastRoutes } from './routes.ts';
import { createSendEpisode } from './send-episode.ts';
import { createPodcastService } from './service.ts';
import { DOWNLOAD_EPISODE, REFRESH_PODCAST } from './tasks.ts';
import { podcastEvent } from './wire.ts';

export interface PodcastsTuning {
  /** Address of a podcast server that may be on this machine. */
  podcastsFrom?: URL;
}

const REFRESH_CHECK_MS = 300_000;

export function podcastsModule({
  config,
  version,
  log,
  now,
  db,
  settings,
  events,
  jobs,
  quota,
  tuning,
}: Base & Pick<FilesOffer, 'quota'> & { tuning: PodcastsTuning }) {
  const dir = config.paths.podcasts;
  const maxBytes = (): number => settings.get('MAX_UPLOAD_BYTES');
  const announceChange = (): void => events.publish(podcastEvent, {});
  const web = createPodcastWeb({ version, contact: () => settings.get('CONTACT'), testServer: tuning.podcastsFrom });
  const podcasts = createPodcastService({
    db,
    now,
    jobs,
    dir,
    refreshHours: () => settings.get('PODCAST_REFRESH_HOURS'),
    web,
    onChange: announceChange,
  });
  const send = createSendEpisode({ web, podcasts, maxBytes });
  const refresh = createRefresh({
    db,
    now,
    web,
    downloadNewest: () => settings.get('PODCAST_DOWNLOAD_NEWEST'),
    download: async (episodeId) => void (await jobs.tryEnqueue(DOWNLOAD_EPISODE, { episodeId })),
    onChange: announceChange,
  });
  const download = downloadEpisodeTask({
    db,
    now,
    dir,
    web,
    quota,
    maxBytes,
    capBytes: () => settings.get('PODCAST_MAX_BYTES'),
    onChange: announceChange,
  });
  let refreshTimer: NodeJS.Timeout | undefined;

  return {
    offers: { podcasts, sendEpisode: send },
    routes: podcastRoutes(podcasts, send),
    tasks: [
      handledBy(REFRESH_PODCAST, ({ podcastId }, { signal }) => refresh(podcastId, signal)),
      handledBy(DOWNLOAD_EPISODE, download, ({ episodeId }) =>
        updateEpisode(db, episodeId, { status: 'error', error: 'The server stopped twice while it was downloaded.' }),
      ),
    ],
    resume(): void {
      podcasts.sweep().catch((err: unknown) => log.error({ err }, 'old podcast files could not be deleted'));
      podcasts.resume().catch((err: unknown) => log.error({ err }, 'podcast downloads could not resume'));
    },
    start(): void {
      const refreshDue = (): void =>
        void podcasts.refreshDue().catch((err: unknown) => log.error({ err }, 'podcasts could not be refreshed'));
      refreshTimer = setInterval(refreshDue, REFRESH_CHECK_MS).unref();
      refreshDue();
    },
    stop: () => clearInterval(refreshTimer),
  } satisfies Module;
}
