// Internet radio stations, and the song that each is playing.
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { detailOf } from '../../api/problem.ts';
import type { StationOut } from '../../api/routes.ts';
import { useSession } from '../../api/session.ts';
import { stationsQuery, useRemoveStation, useSaveStation } from '../../api/stations.ts';
import { stationUrl } from '../../api/urls.ts';
import { closeBeside, playBeside, toggleBeside, useBeside } from '../../player/station-or-episode.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { FormButtons } from '../../ui/controls/form-buttons.tsx';
import { formText } from '../../ui/controls/form-text.ts';
import { formatNumber } from '../../ui/format.ts';
import { IconAdd, IconDelete, IconEdit, IconPause, IconPlay, IconStation } from '../../ui/theme/icons.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import '../../i18n/page-texts.ts';
import styles from './stations.module.css';

export function StationsPage() {
  const { t } = useTranslation();
  const { data: stations, error, refetch } = useQuery(stationsQuery());
  const mayManage = useSession()?.user.is_superuser ?? false;
  const [isAdding, setIsAdding] = useState(false);
  const add = mayManage && (
    <Button icon={IconAdd} variant="primary" onClick={() => setIsAdding(true)}>
      {t('stations.add')}
    </Button>
  );

  return (
    <Page
      title={t('place.stations')}
      count={stations?.length ? formatNumber(stations.length) : undefined}
      tools={stations?.length !== 0 && !isAdding && add}
    >
      {isAdding && <StationForm onDone={() => setIsAdding(false)} />}
      {!stations && !error && <Skeleton height="160px" />}
      {error && !stations && <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />}
      {stations?.length === 0 && !isAdding && (
        <EmptyState icon={IconStation} title={t('stations.none')} actions={add}>
          {t(mayManage ? 'stations.noneHelp' : 'stations.askAdministrator')}
        </EmptyState>
      )}
      <ul className={styles.stations}>
        {stations?.map((station) => (
          <Station key={station.id} station={station} mayManage={mayManage} />
        ))}
      </ul>
    </Page>
  );
}

/** Adds a station, or changes the given one. */
function StationForm({ station, onDone }: { station?: StationOut; onDone: () => void }) {
  const { t } = useTranslation();
  const save = useSaveStation(station?.id);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const [name, stream_url, homePage] = ['name', 'stream_url', 'home_page_url'].map((field) => formText(form, field));
    save.mutate(
      { name: name ?? '', stream_url: stream_url ?? '', home_page_url: homePage || null },
      { onSuccess: onDone },
    );
  };
  return (
    <form
      className={styles.form}
      onSubmit={submit}
      aria-label={station ? t('stations.edit', { name: station.name }) : t('stations.add')}
    >
      <TextInput
        data-autofocus
        autoFocus
        name="name"
        label={t('stations.name')}
        defaultValue={station?.name}
        required
        withAsterisk={false}
      />
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
      <FormButtons label={t(station ? 'stations.save' : 'stations.add')} disabled={save.isPending} onCancel={onDone} />
      {save.error && (
        <p role="alert" className={styles.fault}>
          {detailOf(save.error)}
        </p>
      )}
    </form>
  );
}

function Station({ station, mayManage }: { station: StationOut; mayManage: boolean }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const remove = useRemoveStation();
  const status = useBeside((beside) =>
    beside?.item.kind === 'station' && beside.item.id === station.id ? beside.status : null,
  );
  const isPlaying = status === 'playing' || status === 'loading';
  const [asking, setAsking] = useState<'edit' | 'remove'>();
  const { id, name, home_page_url: homePage, title } = station;
  const play = () =>
    status === null ? playBeside(player, { kind: 'station', id, title: name, src: stationUrl(id) }) : toggleBeside();
  const removeNow = () => {
    if (status !== null) closeBeside();
    remove.mutate(id);
  };
  if (asking === 'edit')
    return (
      <li className={styles.station}>
        <StationForm station={station} onDone={() => setAsking(undefined)} />
      </li>
    );
  return (
    <li className={styles.station} aria-current={status !== null || undefined}>
      <IconButton
        icon={isPlaying ? IconPause : IconPlay}
        className={styles.play}
        label={t(isPlaying ? 'stations.pause' : 'stations.play', { name })}
        onClick={play}
      />
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
          onConfirm={removeNow}
          onCancel={() => setAsking(undefined)}
        />
      )}
      {mayManage && !asking && (
        <>
          <IconButton icon={IconEdit} label={t('stations.edit', { name })} onClick={() => setAsking('edit')} />
          <IconButton icon={IconDelete} label={t('stations.remove', { name })} onClick={() => setAsking('remove')} />
        </>
      )}
    </li>
  );
}
