// Radios with a mood or the current hour as seed, and the artists and tracks that radios never play.
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { likenessQuery, neverQuery, thisMoment, type Seed } from '../../api/likeness.ts';
import { detailOf } from '../../api/problem.ts';
import { MOODS } from '../../music/moods.ts';
import { startRadio } from '../../music/start-radio.ts';
import { useNever } from '../../music/use-steering.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { IconWaiting } from '../../ui/theme/icons.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import '../../i18n/page-texts.ts';
import styles from './likeness.module.css';

export function RadioPage() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const likeness = useQuery(likenessQuery());
  const start = useMutation({
    mutationFn: ({ seed, name }: { seed: Seed; name: string }) => startRadio(player, { seed, name }),
  });
  return (
    <Page title={t('place.radio')}>
      <p className={styles.lead}>{t('radio.lead')}</p>
      {likeness.data && (
        <p className={styles.lead}>
          {t(likeness.data.by === 'sound' ? 'radio.bySound' : 'radio.byTags')}{' '}
          {t('radio.analyzed', {
            done: formatNumber(likeness.data.analyzed),
            total: formatNumber(likeness.data.total),
          })}
        </p>
      )}
      {start.error && (
        <p role="alert" className={styles.error}>
          {detailOf(start.error)}
        </p>
      )}
      {start.data === false && (
        <p role="alert" className={styles.error}>
          {t('radio.nothing')}
        </p>
      )}
      <section aria-label={t('radio.moods')} className={styles.part}>
        <h2>{t('radio.moods')}</h2>
        <ul className={styles.moods}>
          {MOODS.map((mood) => (
            <li key={mood}>
              <button
                type="button"
                className={styles.mood}
                data-mood={mood}
                disabled={start.isPending}
                onClick={() => start.mutate({ seed: { kind: 'mood', mood }, name: t(`mood.${mood}`) })}
              >
                <span>{t(`mood.${mood}`)}</span>
                <span>{t(`moodText.${mood}`)}</span>
              </button>
            </li>
          ))}
        </ul>
        <Button
          icon={IconWaiting}
          disabled={start.isPending}
          onClick={() => start.mutate({ seed: thisMoment(), name: t('radio.moment') })}
        >
          {t('radio.momentStart')}
        </Button>
      </section>
      <Never />
    </Page>
  );
}

function Never() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(neverQuery());
  const setNever = useNever();
  const exclusions = data && [
    ...data.artists.map(({ id, name }) => ({ kind: 'artists' as const, id, name })),
    ...data.tracks.map(({ id, title }) => ({ kind: 'tracks' as const, id, name: title })),
  ];
  return (
    <section aria-label={t('radio.neverTitle')} className={styles.part}>
      <h2>{t('radio.neverTitle')}</h2>
      {error && !data && <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />}
      {!exclusions && !error && <Skeleton height="80px" />}
      {exclusions?.length === 0 && <p className={styles.quiet}>{t('radio.neverNone')}</p>}
      {exclusions && exclusions.length > 0 && (
        <ul className={styles.never}>
          {exclusions.map(({ kind, id, name }) => (
            <li key={`${kind} ${id}`}>
              <span>
                {name}
                <span className={styles.quiet}>{t(`radio.kind.${kind}`)}</span>
              </span>
              <Button
                aria-label={t('radio.allowLabel', { name })}
                onClick={() => void setNever(kind, { id, name }, false)}
              >
                {t('radio.allow')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
