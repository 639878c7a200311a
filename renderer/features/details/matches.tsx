// The best match with the changes that it would make, followed by the other matches.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { detailOf } from '../../api/problem.ts';
import type { MatchOut, MatchesOut, TrackOut } from '../../api/routes.ts';
import { useApplyMatch } from '../../api/review.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ChangeTable } from './change-table.tsx';
import { changesOf } from './match-changes.ts';
import { formatPercent } from '../../ui/format.ts';
import '../../i18n/page-texts.ts';
import styles from './details.module.css';

export function Matches({ track, matches: { items, trust_score } }: { track: TrackOut; matches: MatchesOut }) {
  const { t } = useTranslation();
  const [showsAll, setAll] = useState(false);
  const apply = useApplyMatch();
  if (items.length === 0) return null;
  return (
    <section aria-label={t('details.matches')}>
      <h3>{t('details.matches')}</h3>
      <p className={styles.quiet}>{t('details.trust', { score: formatPercent(trust_score) })}</p>
      {(showsAll ? items : items.slice(0, 1)).map((match) => (
        <Match
          key={match.n}
          track={track}
          match={match}
          disabled={apply.isPending}
          onApply={() => apply.mutate({ trackId: track.id, n: match.n })}
        />
      ))}
      {apply.error && (
        <p role="alert" className={styles.error}>
          {detailOf(apply.error)}
        </p>
      )}
      {items.length > 1 && (
        <Button variant="plain" aria-expanded={showsAll} onClick={() => setAll(!showsAll)}>
          {t(showsAll ? 'details.fewer' : 'details.others', { count: items.length - 1 })}
        </Button>
      )}
    </section>
  );
}

function Match({
  track,
  match,
  disabled,
  onApply,
}: {
  track: TrackOut;
  match: MatchOut;
  disabled: boolean;
  onApply: () => void;
}) {
  const { t } = useTranslation();
  const changes = changesOf(track, match);
  return (
    <article className={styles.match}>
      <p>
        <strong>{match.title ?? track.title}</strong>
        {match.score !== null && (
          <span className={styles.score}>{t('details.score', { score: formatPercent(match.score) })}</span>
        )}
      </p>
      <p className={styles.quiet}>{[match.artist_name, match.album_title, match.year].filter(Boolean).join(' · ')}</p>
      <ChangeTable changes={changes} />
      {changes.length > 0 && (
        <Button disabled={disabled} onClick={onApply}>
          {t('details.apply')}
        </Button>
      )}
    </article>
  );
}
