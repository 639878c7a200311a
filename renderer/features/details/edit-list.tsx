// Edits, chosen matches and merges of the last 30 days; the user can undo a single one or all that were made together.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { editsQuery, useUndoEdit, useUndoEdits } from '../../api/edits.ts';
import type { TrackEditOut } from '../../api/routes.ts';
import { detailOf } from '../../api/problem.ts';
import { useUndoMerge } from '../../api/review.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatAgo, formatDate, formatNumber } from '../../ui/format.ts';
import { IconUndo } from '../../ui/theme/icons.ts';
import { ChangeTable } from './change-table.tsx';
import type { Change } from './match-changes.ts';
import '../../i18n/page-texts.ts';
import styles from './details.module.css';

export function EditList({ trackId, mayEdit }: { trackId: number; mayEdit: boolean }) {
  const { t } = useTranslation();
  const { data } = useQuery(editsQuery(trackId));
  const undoOne = useUndoEdit(trackId);
  const undoTogether = useUndoEdits();
  const undoMerge = useUndoMerge();
  const maySeparate = useSession()?.user.can_edit ?? false;
  const isBusy = [undoOne, undoTogether, undoMerge].some(({ isPending }) => isPending);
  const error = undoOne.error ?? undoTogether.error ?? undoMerge.error;
  if (!data || data.length === 0) return null;
  return (
    <section aria-label={t('details.edits')}>
      <h3>{t('details.edits')}</h3>
      <ul className={styles.edits}>
        {data.map((edit) => (
          <li key={`${edit.kind} ${edit.id}`}>
            <EditHead edit={edit} />
            {edit.merged ? <Merged merged={edit.merged} /> : <ChangeTable changes={edit.changes as Change[]} isDone />}
            {edit.kind === 'merge'
              ? maySeparate && (
                  <div className={styles.actions}>
                    <Button icon={IconUndo} disabled={isBusy} onClick={() => undoMerge.mutate(edit.id)}>
                      {t('merges.undo')}
                    </Button>
                  </div>
                )
              : mayEdit && (
                  <div className={styles.actions}>
                    <Button icon={IconUndo} disabled={isBusy} onClick={() => undoOne.mutate(edit.id)}>
                      {t('details.undoEdit')}
                    </Button>
                    {edit.batch !== null && edit.batch_tracks > 1 && (
                      <Button disabled={isBusy} onClick={() => undoTogether.mutate(edit.batch ?? '')}>
                        {t('details.undoTogether', {
                          count: edit.batch_tracks,
                          number: formatNumber(edit.batch_tracks),
                        })}
                      </Button>
                    )}
                  </div>
                )}
          </li>
        ))}
      </ul>
      {undoOne.data && undoOne.data.not_undone.length > 0 && (
        <p role="status" className={styles.quiet}>
          {t('details.notUndone', {
            fields: undoOne.data.not_undone
              .map(({ field, value }) => ({ field: t(`field.${field as Change['field']}`), value }))
              .map(({ field, value }) => (value === null ? field : t('details.fieldWithValue', { field, value })))
              .join(', '),
          })}
        </p>
      )}
      {error && (
        <p role="alert" className={styles.error}>
          {detailOf(error)}
        </p>
      )}
    </section>
  );
}

function EditHead({ edit: { kind, created_at, user_name, batch_tracks } }: { edit: TrackEditOut }) {
  const { t } = useTranslation();
  return (
    <p className={styles.quiet}>
      <time dateTime={created_at} title={formatDate(created_at)}>
        {formatAgo(created_at)}
      </time>
      {user_name !== null && ` · ${user_name}`}
      {kind !== 'edit' && ` · ${t(`details.editKind.${kind}`)}`}
      {batch_tracks > 1 &&
        ` · ${t('details.editedTogether', { count: batch_tracks, number: formatNumber(batch_tracks) })}`}
    </p>
  );
}

function Merged({ merged }: { merged: NonNullable<TrackEditOut['merged']> }) {
  const { t } = useTranslation();
  const name = [merged.title, merged.artist_name, merged.album_title].filter(Boolean).join(' · ');
  return (
    <p>
      {name}
      <br />
      <span className={styles.quiet}>{t(`merges.reason.${merged.reason}`)}</span>
    </p>
  );
}
