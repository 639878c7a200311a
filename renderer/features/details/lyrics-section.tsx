import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { trackLyricsQuery } from '../../api/tracks.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Skeleton } from '../../ui/states.tsx';
import '../../i18n/page-texts.ts';
import styles from './details.module.css';

const SHOWN_LINES = 6;

export function LyricsSection({ trackId }: { trackId: number }) {
  const { t } = useTranslation();
  const [showsAll, setAll] = useState(false);
  const { data } = useQuery(trackLyricsQuery(trackId));
  return (
    <section aria-label={t('details.lyrics')}>
      <h3>{t('details.lyrics')}</h3>
      {data ? (
        <p className={styles.lyrics}>
          {(showsAll ? data.lines : data.lines.slice(0, SHOWN_LINES)).map(({ text }) => text).join('\n')}
        </p>
      ) : (
        <Skeleton height="80px" />
      )}
      {data && data.lines.length > SHOWN_LINES && (
        <Button variant="plain" aria-expanded={showsAll} onClick={() => setAll(!showsAll)}>
          {t(showsAll ? 'details.lessLyrics' : 'details.allLyrics')}
        </Button>
      )}
    </section>
  );
}
