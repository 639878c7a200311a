import { Modal, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sendChange, useUndoEdits } from '../../../api/edits.ts';
import { randomId } from '../../../api/random-id.ts';
import { LIBRARY } from '../../../api/library.ts';
import { detailOf } from '../../../api/problem.ts';
import { edit } from '../../../music/editing.ts';
import type { Items } from '../../../music/items.ts';
import { isFieldName, viewOf } from '../../../music/track-fields.ts';
import { Button, IconButton } from '../../../ui/controls/button.tsx';
import { IconClose, IconUndo } from '../../../ui/theme/icons.ts';
import { formatNumber } from '../../../ui/format.ts';
import { ProgressBar } from '../../../ui/controls/progress-bar.tsx';
import { useUndoNotice } from '../../../ui/controls/undo-notice.tsx';
import { BATCH_FIELDS, canClear, changeOf, commonValue, type BatchField, type BatchForm } from './batch-changes.ts';
import '../../../i18n/page-texts.ts';
import styles from './tracks-table.module.css';

const isNumber = (field: BatchField): boolean => isFieldName(field) && viewOf(field).input === 'number';

/** One form for all tracks of the items; untouched fields stay unchanged. */
export function BatchEdit({ items }: { items: Items }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { tell, done } = useUndoNotice();
  const undo = useUndoEdits();
  const [savedCount, setSaved] = useState<number | null>(null);
  const [failure, setFailure] = useState('');
  const [form, setForm] = useState<BatchForm>({});
  const { data: tracks, error } = useQuery({
    queryKey: ['chosen', items],
    queryKeyHashFn: () => 'chosen',
    queryFn: items.loadFiles,
    staleTime: 0,
    gcTime: 0,
  });

  const onClose = () => edit(null);
  const count = tracks?.length ?? items.count;
  const save = async () => {
    setFailure('');
    const batch = randomId();
    try {
      for (const [i, track] of (tracks ?? []).entries()) {
        const change = changeOf(track, form);
        setSaved(i);
        if (change) await sendChange(change, batch);
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
          void save();
        }}
      >
        <p>{t('edit.help')}</p>
        <div className={styles.fields}>
          {BATCH_FIELDS.map((field, i) => (
            <Field
              key={field}
              field={field}
              common={tracks ? commonValue(tracks, field) : ''}
              change={form[field]}
              onChange={(text) => {
                const { [field]: _, ...otherFields } = form;
                setForm(text === undefined ? otherFields : { ...otherFields, [field]: text });
              }}
              disabled={!tracks}
              autoFocus={i === 0}
            />
          ))}
        </div>
        {savedCount !== null && (
          <ProgressBar done={savedCount} total={tracks?.length ?? null} label={t('edit.saving')} />
        )}
        <div className={styles.actions}>
          {(failure || error) && (
            <span role="alert" className={styles.error}>
              {failure || detailOf(error)}
            </span>
          )}
          <Button onClick={onClose}>{t('edit.cancel')}</Button>
          <Button
            type="submit"
            variant="primary"
            disabled={!tracks || savedCount !== null || Object.keys(form).length === 0}
          >
            {t('edit.save')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

interface FieldProps {
  field: BatchField;
  /** The common value of all tracks; undefined if their values differ. */
  common: string | undefined;
  /** The new value for all tracks; undefined to keep their values. */
  change: string | undefined;
  onChange: (change: string | undefined) => void;
  disabled: boolean;
  autoFocus: boolean;
}

/** A field with the common value, and a button that clears it for all tracks or restores the previous values. */
function Field({ field, common, change, onChange, disabled, autoFocus }: FieldProps) {
  const { t } = useTranslation();
  const name = t(`field.${field}`);
  const isChanged = change !== undefined;
  const isCleared = change?.trim() === '' && canClear(field);
  const number = field === 'bpm' ? { max: 6, pattern: '\\d{1,3}([.,]\\d{1,2})?' } : { max: 4, pattern: '\\d{1,4}' };
  return (
    <TextInput
      name={field}
      label={name}
      className={isNumber(field) ? '' : styles.wide!}
      disabled={disabled}
      data-autofocus={autoFocus || undefined}
      value={change ?? common ?? ''}
      placeholder={isCleared ? t('edit.cleared') : common === undefined ? t('edit.several') : ''}
      onChange={(event) => {
        const text = event.currentTarget.value;
        onChange(text === common ? undefined : text);
      }}
      maxLength={isNumber(field) ? number.max : 500}
      {...(isNumber(field) && { inputMode: 'decimal' as const, pattern: number.pattern })}
      rightSection={
        isChanged ? (
          <IconButton
            label={t('edit.keep', { field: name })}
            icon={IconUndo}
            size="small"
            iconSize={16}
            onClick={() => onChange(undefined)}
          />
        ) : (
          canClear(field) &&
          common !== '' && (
            <IconButton
              label={t('edit.clear', { field: name })}
              icon={IconClose}
              size="small"
              iconSize={16}
              onClick={() => onChange('')}
            />
          )
        )
      }
    />
  );
}
