// The audio analysis: its progress, speed and accuracy, its results, and how to switch it off.
import { Modal, Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { stateOf } from '../../api/analysis-state.ts';
import { analysisQuery, throwAnalysisAway } from '../../api/analysis.ts';
import { likenessQuery } from '../../api/likeness.ts';
import { detailOf } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { faultOf, findSetting, settingsQuery, useChangeSettings } from '../../api/settings.ts';
import { TrackPicker } from '../../music/track-picker.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { formatLength, formatNumber, formatPercent } from '../../ui/format.ts';
import { IconAnalysis, IconDelete } from '../../ui/theme/icons.ts';
import { Page } from '../../ui/page.tsx';
import { ProgressBar } from '../../ui/controls/progress-bar.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { useDetailsContext } from '../../ui/use-details.ts';
import '../../i18n/page-texts.ts';
import styles from './analysis-page.module.css';

const ANALYSIS_SETTING = 'analysis_enabled';

export function AnalysisPage() {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser === true;
  return (
    <Page title={t('analysis.title')}>
      <p className={styles.lead}>{t('analysis.lead')}</p>
      {isOwner ? <Progress /> : <Likeness />}
      <TrackResults />
      {isOwner && <Control />}
    </Page>
  );
}

/** Opens the details of a chosen track, which contain its results. */
function TrackResults() {
  const { t } = useTranslation();
  const openDetails = useDetailsContext();
  return (
    <section aria-label={t('analysis.heard')} className={styles.part}>
      <h2>{t('analysis.heard')}</h2>
      <div className={styles.picker}>
        <TrackPicker label={t('analysis.track')} value={undefined} onChange={(id) => openDetails?.(id)} />
      </div>
    </section>
  );
}

function Likeness() {
  const { t } = useTranslation();
  const { data } = useQuery(likenessQuery());
  if (!data) return null;
  return (
    <section aria-label={t('analysis.far')} className={styles.part}>
      <h2>{t('analysis.far')}</h2>
      <ProgressBar label={t('analysis.title')} done={data.analyzed} total={data.total} />
      <p className={styles.quiet}>
        {t('activity.doneOf', { done: formatNumber(data.analyzed), total: formatNumber(data.total) })}
      </p>
    </section>
  );
}

function Progress() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(analysisQuery());
  const likeness = useQuery(likenessQuery());
  if (error && !data) return <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height="240px" />;
  const { total, steps, tracks_per_second, seconds_left, failed, sure_tempo, sure_key } = data;
  if (total === 0)
    return (
      <EmptyState icon={IconAnalysis} title={t('analysis.emptyTitle')}>
        {t('analysis.empty')}
      </EmptyState>
    );
  const analyzedCount = (steps.find(({ name }) => name === 'rhythm')?.done ?? 0) - failed;
  const share = (count: number) => analyzedCount > 0 && formatPercent(Math.min(1, count / analyzedCount));
  const facts = [
    [t('analysis.stateIs'), t(`analysis.state.${stateOf(data)}`)],
    [
      t('analysis.fast'),
      tracks_per_second !== null &&
        t('analysis.speed', { number: formatNumber(Math.round(tracks_per_second * 10) / 10) }),
    ],
    [t('analysis.leftIs'), seconds_left !== null && seconds_left > 0 && formatLength(seconds_left * 1_000)],
    [t('analysis.sureTempo'), share(sure_tempo)],
    [t('analysis.sureKey'), share(sure_key)],
    [t('analysis.failed'), failed > 0 && formatNumber(failed)],
    [t('analysis.compared'), likeness.data && formatNumber(likeness.data.indexed)],
  ].filter(([, value]) => value);
  return (
    <>
      <section aria-label={t('analysis.far')} className={styles.part}>
        <h2>{t('analysis.far')}</h2>
        <ul className={styles.steps}>
          {steps.map(({ name, done }) => (
            <li key={name}>
              <span>{t(`analysis.step.${name as 'loudness'}`)}</span>
              <ProgressBar label={t(`analysis.step.${name as 'loudness'}`)} done={done} total={total} />
              <span className={styles.quiet}>
                {t('activity.doneOf', { done: formatNumber(done), total: formatNumber(total) })}
              </span>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label={t('analysis.sure')} className={styles.part}>
        <h2>{t('analysis.sure')}</h2>
        <dl className={styles.facts}>
          {facts.map(([name, value]) => (
            <div key={String(name)}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}

/** Switches the analysis off, and deletes its results. */
function Control() {
  const { t } = useTranslation();
  const id = useId();
  const queries = useQueryClient();
  const settings = useQuery(settingsQuery());
  const change = useChangeSettings();
  const [isAsking, setAsking] = useState(false);
  const setting = findSetting(settings.data, ANALYSIS_SETTING);
  const isOn = setting?.value !== false;
  const remove = useMutation({
    mutationFn: throwAnalysisAway,
    onSuccess: () => queries.invalidateQueries(),
    onSettled: () => setAsking(false),
  });
  const error = change.error ? faultOf(ANALYSIS_SETTING, change.error) : remove.error && detailOf(remove.error);
  return (
    <section aria-label={t('analysis.control')} className={styles.part}>
      <h2>{t('analysis.control')}</h2>
      <div className={styles.switch}>
        <label htmlFor={id}>{t('analysis.on')}</label>
        <Switch
          id={id}
          checked={isOn}
          disabled={!setting || setting.origin === 'env' || change.isPending}
          onChange={(event) =>
            change.mutate(
              { [ANALYSIS_SETTING]: event.currentTarget.checked },
              { onSuccess: () => queries.invalidateQueries({ queryKey: analysisQuery().queryKey }) },
            )
          }
        />
      </div>
      <p className={styles.quiet}>{t('analysis.onHelp')}</p>
      {error && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
      <Button icon={IconDelete} onClick={() => setAsking(true)} disabled={remove.isPending}>
        {t('analysis.remove')}
      </Button>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t('analysis.removeTitle')}
        closeButtonProps={{ 'aria-label': t('playlist.cancel') }}
      >
        <p>{t(isOn ? 'analysis.removeAnew' : 'analysis.removeText')}</p>
        <div className={styles.buttons}>
          <Button onClick={() => setAsking(false)} data-autofocus>
            {t('playlist.cancel')}
          </Button>
          <Button variant="primary" disabled={remove.isPending} onClick={() => remove.mutate()}>
            {t('analysis.remove')}
          </Button>
        </div>
      </Modal>
    </section>
  );
}
