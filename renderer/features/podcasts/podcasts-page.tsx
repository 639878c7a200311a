// Podcasts: their episodes, with a player of their own, since episodes are no tracks and join no queue.
import { TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { EpisodeOut, PodcastOut } from '../../../server/podcasts/wire.ts';
import {
  episodesQuery,
  podcastsQuery,
  useAddPodcast,
  useDownloadEpisode,
  useRefreshPodcast,
  useRemoveDownload,
  useRemovePodcast,
  useSavePosition,
} from '../../api/podcasts.ts';
import { detailOf } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { episodeUrl } from '../../api/urls.ts';
import { useBesideMusic } from '../../player/use-beside-music.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { FormButtons } from '../../ui/form-buttons.tsx';
import { formText } from '../../ui/form-text.ts';
import { formatBytes, formatClock, formatDate, formatNumber } from '../../ui/format.ts';
import { IconAgain, IconDelete, IconDown, IconDownload, IconPlay, IconPodcast } from '../../ui/icons.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import '../../i18n/page-texts.ts';
import styles from './podcasts.module.css';

/** So many podcasts show their episodes at once. */
const OPEN_AT_FIRST = 4;
const SAVED_EVERY_MS = 10_000;

export function PodcastsPage() {
  const { t } = useTranslation();
  const { data: podcasts, error, refetch } = useQuery(podcastsQuery());
  const mayManage = useSession()?.user.can_podcast ?? false;
  const [playing, setPlaying] = useState<EpisodeOut | null>(null);

  return (
    <Page title={t('nav.podcasts')} count={podcasts && formatNumber(podcasts.length)}>
      {mayManage && <AddPodcast />}
      {!podcasts && !error && <Skeleton height="160px" />}
      {error && !podcasts && <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />}
      {podcasts?.length === 0 && (
        <EmptyState icon={IconPodcast} title={t('podcasts.none')}>
          {t(mayManage ? 'podcasts.noneHelp' : 'podcasts.askAdministrator')}
        </EmptyState>
      )}
      {playing && <EpisodePlayer key={playing.id} episode={playing} />}
      {podcasts?.map((podcast, index) => (
        <Podcast
          key={podcast.id}
          podcast={podcast}
          mayManage={mayManage}
          isFirst={index < OPEN_AT_FIRST}
          onPlay={setPlaying}
        />
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

function Podcast({ podcast, mayManage, isFirst, onPlay }: PodcastProps & { isFirst: boolean }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(isFirst);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    ...episodesQuery(podcast.id),
    enabled: isOpen,
  });
  const refresh = useRefreshPodcast();
  const remove = useRemovePodcast();
  const [isAsking, ask] = useState(false);
  const fault = refresh.error ?? remove.error;

  return (
    <section className={styles.podcast} aria-label={podcast.title}>
      <header className={styles.head}>
        <div className={styles.words}>
          <h2>
            <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {podcast.title}
              <IconDown size={18} aria-hidden />
            </button>
          </h2>
          {podcast.description && <p className={styles.about}>{podcast.description}</p>}
          {(podcast.error ?? fault) && (
            <p role="alert" className={styles.fault}>
              {fault ? detailOf(fault) : podcast.error}
            </p>
          )}
        </div>
        {mayManage && !isAsking && (
          <div className={styles.tools}>
            <IconButton
              icon={IconAgain}
              label={t('podcasts.refresh')}
              disabled={refresh.isPending}
              onClick={() => refresh.mutate(podcast.id)}
            />
            <IconButton icon={IconDelete} label={t('podcasts.remove')} onClick={() => ask(true)} />
          </div>
        )}
      </header>
      {isAsking && (
        <FormButtons
          label={t('podcasts.removeNow')}
          disabled={remove.isPending}
          onConfirm={() => remove.mutate(podcast.id)}
          onCancel={() => ask(false)}
        />
      )}
      {isOpen && !data && !error && <Skeleton height="160px" />}
      {isOpen && error && !data && <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />}
      {isOpen && data && (
        <ul className={styles.episodes}>
          {data.pages.flatMap(({ items }) =>
            items.map((episode) => (
              <Episode key={episode.id} episode={episode} mayManage={mayManage} onPlay={onPlay} />
            )),
          )}
        </ul>
      )}
      {isOpen && hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('podcasts.more')}
        </Button>
      )}
    </section>
  );
}

function Episode({ episode, mayManage, onPlay }: Omit<PodcastProps, 'podcast'> & { episode: EpisodeOut }) {
  const { t } = useTranslation();
  const download = useDownloadEpisode();
  const removeDownload = useRemoveDownload();
  const fault = download.error ?? removeDownload.error;
  const isHere = episode.status === 'completed';
  const facts = [
    formatDate(episode.published_at),
    episode.duration_ms !== null && formatClock(episode.duration_ms),
    isHere && episode.size_bytes !== null && formatBytes(episode.size_bytes),
    isHere && t('podcasts.downloaded'),
    episode.status === 'downloading' && t('podcasts.downloading'),
    Boolean(episode.position_ms) && t('podcasts.stopped', { at: formatClock(episode.position_ms ?? 0) }),
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
        {(fault ?? episode.error) && <p className={styles.fault}>{fault ? detailOf(fault) : episode.error}</p>}
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

/** Starts where the listener stopped; saves the position every few seconds. Pauses the music, and is paused by it. */
function EpisodePlayer({ episode }: { episode: EpisodeOut }) {
  const { t } = useTranslation();
  const audio = useRef<HTMLAudioElement>(null);
  const { mutate: savePosition } = useSavePosition(episode);
  const pauseMusic = useBesideMusic(audio);
  const [isFailed, setIsFailed] = useState(false);
  // a layout effect ends before the element is gone, and with it where it was
  useLayoutEffect(() => {
    const element = audio.current;
    if (!element) return;
    const save = (): void => {
      if (element.readyState > 0) savePosition(element.ended ? 0 : Math.round(element.currentTime * 1_000));
    };
    const timer = setInterval(() => !element.paused && save(), SAVED_EVERY_MS);
    element.addEventListener('pause', save);
    return () => {
      clearInterval(timer);
      element.removeEventListener('pause', save);
      if (!element.paused) save();
    };
  }, [savePosition]);
  return (
    <section className={styles.player} aria-label={episode.title}>
      <p className={styles.title}>{episode.title}</p>
      <audio
        ref={audio}
        controls
        autoPlay
        src={episodeUrl(episode.id)}
        onPlay={pauseMusic}
        onError={() => setIsFailed(true)}
        onLoadedMetadata={(event) => {
          setIsFailed(false);
          event.currentTarget.currentTime = (episode.position_ms ?? 0) / 1_000;
        }}
      />
      {isFailed && (
        <p role="alert" className={styles.fault}>
          {t('podcasts.failed')}
        </p>
      )}
    </section>
  );
}
