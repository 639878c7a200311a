// Edits of the last 30 days, and undoing one, or all that were made together with it.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { editsQuery, useUndoEdit, useUndoEdits } from '../../api/edits.ts';
import { detailOf } from '../../api/problem.ts';
import { Button } from '../../ui/button.tsx';
import { formatAgo, formatDate, formatNumber } from '../../ui/format.ts';
import { IconUndo } from '../../ui/icons.ts';
import { ChangeTable } from './change-table.tsx';
import type { Change } from './match-changes.ts';
import styles from './details.module.css';

export function EditList({ trackId, mayEdit }: { trackId: number; mayEdit: boolean }) {
  const { t } = useTranslation();
  const { data } = useQuery(editsQuery(trackId));
  const one = useUndoEdit(trackId);
  const together = useUndoEdits();
  const isBusy = one.isPending || together.isPending;
  const error = one.error ?? together.error;
  if (!data || data.length === 0) return null;
  return (
    <section aria-label={t('details.edits')}>
      <h3>{t('details.edits')}</h3>
      <ul className={styles.edits}>
        {data.map(({ id, created_at, user_name, batch, batch_tracks, changes }) => (
          <li key={id}>
            <p className={styles.quiet}>
              <time dateTime={created_at} title={formatDate(created_at)}>
                {formatAgo(created_at)}
              </time>
              {user_name !== null && ` · ${user_name}`}
              {batch_tracks > 1 &&
                ` · ${t('details.editedTogether', { count: batch_tracks, number: formatNumber(batch_tracks) })}`}
            </p>
            <ChangeTable changes={changes as Change[]} isDone />
            {mayEdit && (
              <div className={styles.actions}>
                <Button icon={IconUndo} disabled={isBusy} onClick={() => one.mutate(id)}>
                  {t('details.undoEdit')}
                </Button>
                {batch !== null && batch_tracks > 1 && (
                  <Button disabled={isBusy} onClick={() => together.mutate(batch)}>
                    {t('details.undoTogether', { count: batch_tracks, number: formatNumber(batch_tracks) })}
                  </Button>
                )}
              </div>
            )}
          </li>
        ))}
      </ul>
      {error && (
        <p role="alert" className={styles.error}>
          {detailOf(error)}
        </p>
      )}
    </section>
  );
}
