// Podcasts: their episodes, with a player of their own, since episodes are no tracks and join no queue.
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { EpisodeOut, PodcastOut } from '../../../server/podcasts/wire.ts';
import {
  episodesQuery,
  podcastsQuery,
  savePosition,
  useAddPodcast,
  useDownloadEpisode,
  useRefreshPodcast,
  useRemoveDownload,
  useRemovePodcast,
} from '../../api/podcasts.ts';
import { detailOf } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { episodeUrl } from '../../api/urls.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { formText } from '../../ui/form-text.ts';
import { formatBytes, formatClock, formatDate, formatNumber } from '../../ui/format.ts';
import { IconAgain, IconDelete, IconDownload, IconPlay, IconPodcast } from '../../ui/icons.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import styles from './podcasts.module.css';

const EPISODES = 30;
const MORE = 170;
const SAVED_EVERY_MS = 10_000;

export function PodcastsPage() {
  const { t } = useTranslation();
  const { data: podcasts, error, refetch } = useQuery(podcastsQuery());
  const mayManage = useSession()?.user.can_podcast ?? false;
  const [playing, setPlaying] = useState<EpisodeOut | null>(null);

  return (
    <Page title={t('nav.podcasts')} count={podcasts && formatNumber(podcasts.length)}>
      {mayManage && <AddPodcast />}
      {error && <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />}
      {podcasts?.length === 0 && (
        <EmptyState icon={IconPodcast} title={t('podcasts.none')}>
          {t(mayManage ? 'podcasts.noneHelp' : 'podcasts.askAdministrator')}
        </EmptyState>
      )}
      {playing && <EpisodePlayer key={playing.id} episode={playing} />}
      {podcasts?.map((podcast) => (
        <Podcast key={podcast.id} podcast={podcast} mayManage={mayManage} onPlay={setPlaying} />
      ))}
    </Page>
  );
}

function AddPodcast() {
  const { t } = useTranslation();
  const add = useAddPodcast();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    add.mutate(formText(form, 'url'), { onSuccess: () => form.reset() });
  };
  return (
    <form className={styles.add} onSubmit={submit}>
      <TextInput
        className={styles.address}
        name="url"
        type="text"
        inputMode="url"
        label={t('podcasts.address')}
        required
        withAsterisk={false}
        error={add.error && detailOf(add.error)}
      />
      <Button type="submit" variant="primary" disabled={add.isPending}>
        {t('podcasts.add')}
      </Button>
    </form>
  );
}

interface PodcastProps {
  podcast: PodcastOut;
  mayManage: boolean;
  onPlay: (episode: EpisodeOut) => void;
}

function Podcast({ podcast, mayManage, onPlay }: PodcastProps) {
  const { t } = useTranslation();
  const [limit, setLimit] = useState(EPISODES);
  const { data } = useQuery(episodesQuery(podcast.id, limit));
  const refresh = useRefreshPodcast();
  const remove = useRemovePodcast();
  const [isAsking, ask] = useState(false);
  const isMore = data !== undefined && data.total > data.items.length && limit === EPISODES;

  return (
    <section className={styles.podcast} aria-label={podcast.title}>
      <header className={styles.head}>
        <div className={styles.words}>
          <h2>{podcast.title}</h2>
          {podcast.description && <p className={styles.about}>{podcast.description}</p>}
          {podcast.error && (
            <p role="alert" className={styles.fault}>
              {podcast.error}
            </p>
          )}
        </div>
        {mayManage && (
          <div className={styles.tools}>
            <IconButton
              icon={IconAgain}
              label={t('podcasts.refresh')}
              disabled={refresh.isPending}
              onClick={() => refresh.mutate(podcast.id)}
            />
            {isAsking ? (
              <Button onClick={() => remove.mutate(podcast.id)} disabled={remove.isPending}>
                {t('podcasts.removeNow')}
              </Button>
            ) : (
              <IconButton icon={IconDelete} label={t('podcasts.remove')} onClick={() => ask(true)} />
            )}
          </div>
        )}
      </header>
      <ul className={styles.episodes}>
        {data?.items.map((episode) => (
          <Episode key={episode.id} episode={episode} mayManage={mayManage} onPlay={onPlay} />
        ))}
      </ul>
      {isMore && <Button onClick={() => setLimit(EPISODES + MORE)}>{t('podcasts.more')}</Button>}
    </section>
  );
}

function Episode({ episode, mayManage, onPlay }: Omit<PodcastProps, 'podcast'> & { episode: EpisodeOut }) {
  const { t } = useTranslation();
  const download = useDownloadEpisode();
  const removeDownload = useRemoveDownload();
  const isHere = episode.status === 'completed';
  const facts = [
    formatDate(episode.published_at),
    episode.duration_ms !== null && formatClock(episode.duration_ms),
    isHere && episode.size_bytes !== null && formatBytes(episode.size_bytes),
    isHere && t('podcasts.downloaded'),
    episode.status === 'downloading' && t('podcasts.downloading'),
    episode.position_ms !== null && t('podcasts.stopped', { at: formatClock(episode.position_ms) }),
  ].filter(Boolean);

  return (
    <li className={styles.episode}>
      <IconButton
        icon={IconPlay}
        label={t('podcasts.play', { title: episode.title })}
        onClick={() => onPlay(episode)}
      />
      <div className={styles.words}>
        <p className={styles.title}>{episode.title}</p>
        <p className={styles.facts}>{facts.join(' · ')}</p>
        {episode.error && <p className={styles.fault}>{episode.error}</p>}
      </div>
      {mayManage && (
        <IconButton
          icon={isHere ? IconDelete : IconDownload}
          label={t(isHere ? 'podcasts.removeDownload' : 'podcasts.download', { title: episode.title })}
          disabled={episode.status === 'downloading' || download.isPending || removeDownload.isPending}
          onClick={() => (isHere ? removeDownload : download).mutate(episode.id)}
        />
      )}
    </li>
  );
}

/** Starts where the listener stopped, and notes every few seconds where that is. */
function EpisodePlayer({ episode }: { episode: EpisodeOut }) {
  const audio = useRef<HTMLAudioElement>(null);
  useEffect(() => {
    const element = audio.current;
    if (!element) return;
    const save = (): void => void savePosition(episode.id, element.ended ? 0 : element.currentTime * 1_000);
    const timer = setInterval(() => !element.paused && save(), SAVED_EVERY_MS);
    element.addEventListener('pause', save);
    return () => {
      clearInterval(timer);
      element.removeEventListener('pause', save);
      if (!element.paused) save();
    };
  }, [episode.id]);
  return (
    <section className={styles.player} aria-label={episode.title}>
      <p className={styles.title}>{episode.title}</p>
      <audio
        ref={audio}
        controls
        autoPlay
        src={episodeUrl(episode.id)}
        onLoadedMetadata={(event) => {
          event.currentTarget.currentTime = (episode.position_ms ?? 0) / 1_000;
        }}
      />
    </section>
  );
}
