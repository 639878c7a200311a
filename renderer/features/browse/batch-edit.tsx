import { Modal, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/client.ts';
import { newBatch, useUndoEdits } from '../../api/edits.ts';
import { LIBRARY } from '../../api/library.ts';
import { detailOf } from '../../api/problem.ts';
import { editTogether } from '../../music/editing.ts';
import type { Items } from '../../music/items.ts';
import { isFieldName, viewOf } from '../../music/track-fields.ts';
import { Button } from '../../ui/button.tsx';
import { formText } from '../../ui/form-text.ts';
import { formatNumber } from '../../ui/format.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { useUndoNotice } from '../../ui/undo-notice.tsx';
import { BATCH_FIELDS, changeOf, commonValue, type BatchField, type BatchForm } from './batch-changes.ts';
import styles from './tracks-table.module.css';

const isNumber = (field: BatchField): boolean => isFieldName(field) && viewOf(field).input === 'number';

/** One form for all tracks of the items; empty fields stay unchanged. */
export function BatchEdit({ items }: { items: Items }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { tell, done } = useUndoNotice();
  const undo = useUndoEdits();
  const [saved, setSaved] = useState<number | null>(null);
  const [failure, setFailure] = useState('');
  const { data: tracks, error } = useQuery({
    queryKey: ['chosen', items],
    queryKeyHashFn: () => 'chosen',
    queryFn: items.load,
    staleTime: 0,
    gcTime: 0,
  });

  const onClose = () => editTogether(null);
  const count = tracks?.length ?? items.count;
  const save = async (form: BatchForm) => {
    setFailure('');
    const batch = newBatch();
    try {
      for (const [i, track] of (tracks ?? []).entries()) {
        const change = changeOf(track, form);
        setSaved(i);
        if (change) await request(change.path, { method: change.method, body: change.body, query: { batch } });
      }
      done(t('track.changed', { count: tracks?.length ?? 0, number: formatNumber(tracks?.length ?? 0) }), () =>
        undo.mutate(batch, { onError: (reason) => tell(detailOf(reason)) }),
      );
      onClose();
    } catch (reason) {
      setFailure(detailOf(reason));
    } finally {
      setSaved(null);
      void queries.invalidateQueries({ queryKey: [LIBRARY] });
    }
  };

  return (
    <Modal
      opened
      onClose={onClose}
      title={t('edit.title', { count, number: formatNumber(count) })}
      closeButtonProps={{ 'aria-label': t('edit.cancel') }}
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          void save(Object.fromEntries(BATCH_FIELDS.map((field) => [field, formText(form, field)])));
        }}
      >
        <p>{t('edit.help')}</p>
        <div className={styles.fields}>
          {BATCH_FIELDS.map((field, i) => (
            <TextInput
              key={field}
              name={field}
              label={t(`field.${field}`)}
              className={isNumber(field) ? '' : styles.wide!}
              disabled={!tracks}
              data-autofocus={i === 0 || undefined}
              placeholder={tracks ? (commonValue(tracks, field) ?? t('edit.several')) : ''}
              maxLength={isNumber(field) ? 4 : 500}
              {...(isNumber(field) && { inputMode: 'numeric' as const, pattern: '\\d{1,4}' })}
            />
          ))}
        </div>
        {saved !== null && <ProgressBar done={saved} total={tracks?.length ?? null} label={t('edit.saving')} />}
        <div className={styles.actions}>
          {(failure || error) && (
            <span role="alert" className={styles.error}>
              {failure || detailOf(error)}
            </span>
          )}
          <Button onClick={onClose}>{t('edit.cancel')}</Button>
          <Button type="submit" variant="primary" disabled={!tracks || saved !== null}>
            {t('edit.save')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
