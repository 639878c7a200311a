// A path from one track to another, in small steps of similarity.
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { likenessQuery, pathQuery, type PathEnds } from '../../api/likeness.ts';
import { detailOf } from '../../api/problem.ts';
import { ChosenTracks } from '../../music/chosen-tracks.tsx';
import { PlayButton } from '../../music/play-button.tsx';
import { TrackPicker } from '../../music/track-picker.tsx';
import { usePlaylistCommands } from '../../music/use-playlist-commands.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button } from '../../ui/controls/button.tsx';
import { IconAddTo, IconAgain, IconPath } from '../../ui/theme/icons.ts';
import { Page } from '../../ui/page.tsx';
import { Slider } from '../../ui/controls/slider.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { NotAnalyzed } from './sound-progress.tsx';
import '../../i18n/page-texts.ts';
import styles from './likeness.module.css';

const STEPS = { least: 1, usual: 8, most: 30 };

export function PathPage() {
  const { t } = useTranslation();
  const { from, to, steps = STEPS.usual } = useSearch({ from: '/app/explore/path' });
  const navigate = useNavigate();
  const likeness = useQuery(likenessQuery());
  const changeSearch = (change: { from?: number | undefined; to?: number | undefined; steps?: number }) =>
    void navigate({ to: '/path', search: { from, to, steps, ...change }, replace: true });
  if (likeness.data?.by === 'tags')
    return (
      <Page title={t('place.path')}>
        <p className={styles.lead}>{t('path.lead')}</p>
        <NotAnalyzed title={t('path.notYetTitle')}>{t('path.notYet')}</NotAnalyzed>
      </Page>
    );
  const stepsText = t('path.stepCount', { count: steps });
  return (
    <Page title={t('place.path')}>
      <p className={styles.lead}>{t('path.lead')}</p>
      <div className={styles.ends}>
        <TrackPicker label={t('path.from')} value={from} onChange={(id) => changeSearch({ from: id })} />
        <TrackPicker label={t('path.to')} value={to} onChange={(id) => changeSearch({ to: id })} />
        <Button
          icon={IconAgain}
          disabled={from === undefined && to === undefined}
          onClick={() => changeSearch({ from: to, to: from })}
        >
          {t('path.turn')}
        </Button>
      </div>
      <div className={styles.steps}>
        <Slider
          label={t('path.steps')}
          value={steps}
          min={STEPS.least}
          max={STEPS.most}
          step={1}
          valueText={stepsText}
          onChange={(value) => changeSearch({ steps: value })}
        />
        <span>{stepsText}</span>
      </div>
      {from === undefined || to === undefined || from === to ? (
        <EmptyState icon={IconPath} title={t('path.emptyTitle')}>
          {t(from !== undefined && from === to ? 'path.same' : 'path.empty')}
        </EmptyState>
      ) : (
        <Path ends={{ from, to, steps }} />
      )}
    </Page>
  );
}

function Path({ ends }: { ends: PathEnds }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const { keep } = usePlaylistCommands();
  const { data, error, refetch } = useQuery(pathQuery(ends));
  if (error) return <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height="400px" />;
  const tracks = data.items.map(({ track, reasons }) => ({ ...track, why: reasons }));
  const name = t('path.name', { from: tracks[0]?.title, to: tracks.at(-1)?.title });
  return (
    <section aria-label={name} className={styles.part}>
      <div className={styles.tools}>
        <PlayButton
          has={(id) => tracks.some((track) => track.id === id)}
          onPlay={() => player.playTracks(tracks, { shuffle: false, from: name })}
        />
        <Button icon={IconAddTo} onClick={() => void keep(name, tracks)}>
          {t('path.keep')}
        </Button>
      </div>
      {data.by === 'tags' && <p className={styles.lead}>{t('radio.byTags')}</p>}
      <ChosenTracks label={name} items={data.items} from={name} />
    </section>
  );
}
