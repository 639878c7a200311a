// A mix of the day: its tracks, with the reasons for the mix and for each track.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { mixQuery } from '../../api/likeness.ts';
import { detailOf, isAbsent } from '../../api/problem.ts';
import { ChosenTracks } from '../../music/chosen-tracks.tsx';
import { mixName } from '../../music/mix-name.ts';
import { PlayButton } from '../../music/play-button.tsx';
import { reasonsText } from '../../music/reasons.ts';
import { usePlaylistCommands } from '../../music/use-playlist-commands.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button, ButtonLink } from '../../ui/controls/button.tsx';
import { formatLength } from '../../ui/format.ts';
import { IconAddTo, IconShuffle } from '../../ui/theme/icons.ts';
import { Page } from '../../ui/page.tsx';
import { AbsentState, ErrorState, Skeleton } from '../../ui/states.tsx';
import '../../i18n/page-texts.ts';
import styles from './likeness.module.css';

export function MixPage() {
  const { t } = useTranslation();
  const { mixId } = useParams({ from: '/app/explore/mixes/$mixId' });
  const player = usePlayerCommands();
  const { keep } = usePlaylistCommands();
  const { data, error, refetch } = useQuery(mixQuery(mixId));
  if (error && isAbsent(error))
    return (
      <AbsentState title={t('mix.goneTitle')} actions={<ButtonLink to="/">{t('nav.home')}</ButtonLink>}>
        {t('mix.gone')}
      </AbsentState>
    );
  if (error) return <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <Page title={t('home.mixed')}>
        <Skeleton height="400px" />
      </Page>
    );
  const { mix, items } = data;
  const name = mixName(mix, t);
  const tracks = items.map(({ track, reasons }) => ({ ...track, why: reasons }));
  return (
    <Page title={name} count={t('track.count', { count: mix.track_count })}>
      <p className={styles.lead}>
        {[reasonsText(mix.why, t, 3), formatLength(mix.duration_ms)].filter(Boolean).join(' · ')}
      </p>
      <div className={styles.tools}>
        <PlayButton
          has={(id) => tracks.some((track) => track.id === id)}
          onPlay={() => player.playTracks(tracks, { shuffle: false, from: name })}
        />
        <Button icon={IconShuffle} onClick={() => player.playTracks(tracks, { shuffle: true, from: name })}>
          {t('player.shuffle')}
        </Button>
        <Button icon={IconAddTo} onClick={() => void keep(name, tracks)}>
          {t('path.keep')}
        </Button>
      </div>
      <ChosenTracks label={name} items={items} from={name} />
    </Page>
  );
}
