// Podcasts and their episodes.
import { TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
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
import type { EpisodeOut, PodcastOut } from '../../api/routes.ts';
import { detailOf } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { episodeUrl } from '../../api/urls.ts';
import { playBeside, toggleBeside, useBeside } from '../../player/station-or-episode.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { FormButtons } from '../../ui/controls/form-buttons.tsx';
import { formText } from '../../ui/controls/form-text.ts';
import { formatBytes, formatClock, formatDateOnly, formatNumber } from '../../ui/format.ts';
import {
  IconAdd,
  IconAgain,
  IconDelete,
  IconDown,
  IconDownload,
  IconPause,
  IconPlay,
  IconPodcast,
} from '../../ui/theme/icons.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import '../../i18n/page-texts.ts';
import styles from './podcasts.module.css';

/** Up to this number of podcasts, all of them display their episodes at once. */
const SHOWN_EPISODES = 4;

export function PodcastsPage() {
  const { t } = useTranslation();
  const { data: podcasts, error, refetch } = useQuery(podcastsQuery());
  const mayManage = useSession()?.user.can_podcast ?? false;
  const [isAdding, setIsAdding] = useState(false);
  const add = mayManage && (
    <Button icon={IconAdd} variant="primary" onClick={() => setIsAdding(true)}>
      {t('podcasts.addOne')}
    </Button>
  );

  return (
    <Page
      title={t('place.podcasts')}
      count={podcasts?.length ? formatNumber(podcasts.length) : undefined}
      tools={podcasts?.length !== 0 && !isAdding && add}
    >
      {isAdding && <AddPodcast onDone={() => setIsAdding(false)} />}
      {!podcasts && !error && <Skeleton height="160px" />}
      {error && !podcasts && <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />}
      {podcasts?.length === 0 && !isAdding && (
        <EmptyState icon={IconPodcast} title={t('podcasts.none')} actions={add}>
          {t(mayManage ? 'podcasts.noneHelp' : 'podcasts.askAdministrator')}
        </EmptyState>
      )}
      {podcasts?.map((podcast, index) => (
        <Podcast key={podcast.id} podcast={podcast} mayManage={mayManage} isFirst={index < SHOWN_EPISODES} />
      ))}
    </Page>
  );
}

function AddPodcast({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const add = useAddPodcast();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    add.mutate(formText(event.currentTarget, 'url'), { onSuccess: onDone });
  };
  return (
    <form className={styles.add} onSubmit={submit}>
      <TextInput
        className={styles.address}
        autoFocus
        name="url"
        type="text"
        inputMode="url"
        label={t('podcasts.address')}
        required
        withAsterisk={false}
        error={add.error && detailOf(add.error)}
      />
      <FormButtons label={t('podcasts.add')} disabled={add.isPending} onCancel={onDone} />
    </form>
  );
}

interface PodcastProps {
  podcast: PodcastOut;
  mayManage: boolean;
}

function Podcast({ podcast, mayManage, isFirst }: PodcastProps & { isFirst: boolean }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(isFirst);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    ...episodesQuery(podcast.id),
    enabled: isOpen,
  });
  const refresh = useRefreshPodcast();
  const remove = useRemovePodcast();
  const [isAsking, setAsking] = useState(false);
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
            <IconButton icon={IconDelete} label={t('podcasts.remove')} onClick={() => setAsking(true)} />
          </div>
        )}
      </header>
      {isAsking && (
        <FormButtons
          label={t('podcasts.removeNow')}
          disabled={remove.isPending}
          onConfirm={() => remove.mutate(podcast.id)}
          onCancel={() => setAsking(false)}
        />
      )}
      {isOpen && !data && !error && <Skeleton height="160px" />}
      {isOpen && error && !data && <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />}
      {isOpen && data && (
        <ul className={styles.episodes}>
          {data.pages.flatMap(({ items }) =>
            items.map((episode) => <Episode key={episode.id} episode={episode} mayManage={mayManage} />),
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

function Episode({ episode, mayManage }: Omit<PodcastProps, 'podcast'> & { episode: EpisodeOut }) {
  const { t } = useTranslation();
  const download = useDownloadEpisode();
  const removeDownload = useRemoveDownload();
  const fault = download.error ?? removeDownload.error;
  const player = usePlayerCommands();
  const { mutate: savePosition } = useSavePosition();
  const status = useBeside((beside) =>
    beside?.item.kind === 'episode' && beside.item.id === episode.id ? beside.status : null,
  );
  const isPlaying = status === 'playing' || status === 'loading';
  const { id, podcast_id, title } = episode;
  const play = () =>
    status === null
      ? playBeside(player, {
          kind: 'episode',
          id,
          title,
          by: episode.podcast_title,
          src: episodeUrl(id),
          startMs: episode.position_ms ?? 0,
          onPosition: (position_ms) => savePosition({ id, podcast_id, position_ms }),
        })
      : toggleBeside();
  const isDownloaded = episode.status === 'completed';
  const facts = [
    formatDateOnly(episode.published_at),
    episode.duration_ms !== null && formatClock(episode.duration_ms),
    isDownloaded && episode.size_bytes !== null && formatBytes(episode.size_bytes),
    isDownloaded && t('podcasts.downloaded'),
    episode.status === 'downloading' && t('podcasts.downloading'),
    Boolean(episode.position_ms) && t('podcasts.stopped', { at: formatClock(episode.position_ms ?? 0) }),
  ].filter(Boolean);

  return (
    <li className={styles.episode} aria-current={status !== null || undefined}>
      <IconButton
        icon={isPlaying ? IconPause : IconPlay}
        className={styles.play}
        label={t(isPlaying ? 'podcasts.pause' : 'podcasts.play', { title })}
        onClick={play}
      />
      <div className={styles.words}>
        <p className={styles.title}>{title}</p>
        <p className={styles.facts}>{facts.join(' · ')}</p>
        {episode.description && <p className={styles.about}>{episode.description}</p>}
        {(fault ?? episode.error) && <p className={styles.fault}>{fault ? detailOf(fault) : episode.error}</p>}
      </div>
      {mayManage && (
        <IconButton
          icon={isDownloaded ? IconDelete : IconDownload}
          label={t(isDownloaded ? 'podcasts.removeDownload' : 'podcasts.download', { title })}
          disabled={episode.status === 'downloading' || download.isPending || removeDownload.isPending}
          onClick={() => (isDownloaded ? removeDownload : download).mutate(episode.id)}
        />
      )}
    </li>
  );
}
