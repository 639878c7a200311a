// Internet radio: stations, and what they play. They have a player of their own, since a station is no track.
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { StationOut } from '../../../server/radio/wire.ts';
import { detailOf } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { stationsQuery, useRemoveStation, useSaveStation } from '../../api/stations.ts';
import { stationUrl } from '../../api/urls.ts';
import { useBesideMusic } from '../../player/use-beside-music.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { FormButtons } from '../../ui/form-buttons.tsx';
import { formText } from '../../ui/form-text.ts';
import { formatNumber } from '../../ui/format.ts';
import { IconDelete, IconEdit, IconPlay, IconStation } from '../../ui/icons.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import '../../i18n/page-texts.ts';
import styles from './stations.module.css';

export function StationsPage() {
  const { t } = useTranslation();
  const { data: stations, error, refetch } = useQuery(stationsQuery());
  const mayManage = useSession()?.user.is_superuser ?? false;
  const [playingId, play] = useState<number>();
  const playing = stations?.find(({ id }) => id === playingId);

  return (
    <Page title={t('nav.stations')} count={stations && formatNumber(stations.length)}>
      {mayManage && <StationForm />}
      {!stations && !error && <Skeleton height="160px" />}
      {error && !stations && <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />}
      {stations?.length === 0 && (
        <EmptyState icon={IconStation} title={t('stations.none')}>
          {t(mayManage ? 'stations.noneHelp' : 'stations.askAdministrator')}
        </EmptyState>
      )}
      {playing && <StationPlayer key={playing.id} station={playing} />}
      <ul className={styles.stations}>
        {stations?.map((station) => (
          <Station
            key={station.id}
            station={station}
            mayManage={mayManage}
            isPlaying={station.id === playingId}
            onPlay={play}
          />
        ))}
      </ul>
    </Page>
  );
}

/** Adds a station, or changes the given one. */
function StationForm({ station, onDone }: { station?: StationOut; onDone?: () => void }) {
  const { t } = useTranslation();
  const save = useSaveStation(station?.id);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const [name, stream_url, homePage] = ['name', 'stream_url', 'home_page_url'].map((field) => formText(form, field));
    save.mutate(
      { name: name ?? '', stream_url: stream_url ?? '', home_page_url: homePage || null },
      { onSuccess: () => (onDone ? onDone() : form.reset()) },
    );
  };
  return (
    <form
      className={styles.form}
      onSubmit={submit}
      aria-label={station ? t('stations.edit', station) : t('stations.add')}
    >
      <TextInput name="name" label={t('stations.name')} defaultValue={station?.name} required withAsterisk={false} />
      <TextInput
        className={styles.address}
        name="stream_url"
        inputMode="url"
        label={t('stations.stream')}
        defaultValue={station?.stream_url}
        required
        withAsterisk={false}
      />
      <TextInput
        name="home_page_url"
        inputMode="url"
        label={t('stations.homePage')}
        defaultValue={station?.home_page_url ?? ''}
      />
      {onDone ? (
        <FormButtons label={t('stations.save')} disabled={save.isPending} onCancel={onDone} />
      ) : (
        <Button type="submit" variant="primary" disabled={save.isPending}>
          {t('stations.add')}
        </Button>
      )}
      {save.error && (
        <p role="alert" className={styles.fault}>
          {detailOf(save.error)}
        </p>
      )}
    </form>
  );
}

interface StationProps {
  station: StationOut;
  mayManage: boolean;
  isPlaying: boolean;
  onPlay: (id: number) => void;
}

function Station({ station, mayManage, isPlaying, onPlay }: StationProps) {
  const { t } = useTranslation();
  const remove = useRemoveStation();
  const [asking, ask] = useState<'edit' | 'remove'>();
  const { name, home_page_url: homePage, title } = station;
  if (asking === 'edit')
    return (
      <li className={styles.station}>
        <StationForm station={station} onDone={() => ask(undefined)} />
      </li>
    );
  return (
    <li className={styles.station} aria-current={isPlaying || undefined}>
      <IconButton icon={IconPlay} label={t('stations.play', { name })} onClick={() => onPlay(station.id)} />
      <div className={styles.words}>
        <p className={styles.name}>{name}</p>
        <p className={styles.facts}>
          {title ??
            (homePage && (
              <a href={homePage} target="_blank" rel="noreferrer">
                {new URL(homePage).host}
              </a>
            ))}
        </p>
        {remove.error && <p className={styles.fault}>{detailOf(remove.error)}</p>}
      </div>
      {asking === 'remove' && (
        <FormButtons
          label={t('stations.removeNow')}
          disabled={remove.isPending}
          onConfirm={() => remove.mutate(station.id)}
          onCancel={() => ask(undefined)}
        />
      )}
      {mayManage && !asking && (
        <>
          <IconButton icon={IconEdit} label={t('stations.edit', { name })} onClick={() => ask('edit')} />
          <IconButton icon={IconDelete} label={t('stations.remove', { name })} onClick={() => ask('remove')} />
        </>
      )}
    </li>
  );
}

function StationPlayer({ station }: { station: StationOut }) {
  const { t } = useTranslation();
  const audio = useRef<HTMLAudioElement>(null);
  const pauseMusic = useBesideMusic(audio);
  const [isFailed, setIsFailed] = useState(false);
  return (
    <section className={styles.player} aria-label={station.name}>
      <p className={styles.name}>{station.name}</p>
      {station.title && (
        <p className={styles.facts} aria-live="polite">
          {station.title}
        </p>
      )}
      <audio
        ref={audio}
        controls
        autoPlay
        src={stationUrl(station.id)}
        onPlay={pauseMusic}
        onPlaying={() => setIsFailed(false)}
        onError={() => setIsFailed(true)}
      />
      {isFailed && (
        <p role="alert" className={styles.fault}>
          {t('stations.failed')}
        </p>
      )}
    </section>
  );
}
