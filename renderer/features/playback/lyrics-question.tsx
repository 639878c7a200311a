// Asks the owner once whether lyrics may be looked up. A setting that was never changed is at its default.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { findSetting, settingsQuery, useChangeSettings } from '../../api/settings.ts';
import { Button } from '../../ui/button.tsx';
import styles from './lyrics.module.css';

export function LyricsQuestion({ onAnswer }: { onAnswer: () => void }) {
  const { t } = useTranslation();
  const { data } = useQuery(settingsQuery());
  const change = useChangeSettings();
  if (findSetting(data, 'lyrics_enabled')?.origin !== 'default') return null;
  const answer = (lyrics_enabled: boolean) => change.mutate({ lyrics_enabled }, { onSuccess: onAnswer });
  return (
    <section className={styles.question} aria-label={t('lyrics.ask')}>
      <p>
        <strong>{t('lyrics.ask')}</strong>
      </p>
      <p>{t('lyrics.askHelp')}</p>
      <div className={styles.tools}>
        <Button variant="primary" disabled={change.isPending} onClick={() => answer(true)}>
          {t('lyrics.yes')}
        </Button>
        <Button disabled={change.isPending} onClick={() => answer(false)}>
          {t('lyrics.no')}
        </Button>
      </div>
    </section>
  );
}
