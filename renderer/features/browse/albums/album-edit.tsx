// Edits an album: the values of the album once, and below them a table of its tracks.
import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, Modal, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState, type FormEvent, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { albumFilesQuery } from '../../../api/library.ts';
import { detailOf } from '../../../api/problem.ts';
import type { AlbumOut, TrackOut } from '../../../api/routes.ts';
import { edit } from '../../../music/editing.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ChoiceMenu } from '../../../ui/controls/choice-menu.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import {
  faultsOf,
  formOf,
  patchOf,
  PRIMARY_TYPES,
  renumbered,
  SECONDARY_TYPES,
  titlesIn,
  withPrimaryType,
  withTitles,
  type AlbumField,
  type AlbumForm,
  type TrackTexts,
} from './album-form.ts';
import { useEditAlbum } from './use-edit-album.ts';
import '../../../i18n/page-texts.ts';
import styles from './album-edit.module.css';

const close = () => edit(null);

export function AlbumEdit({ album }: { album: AlbumOut }) {
  const { t } = useTranslation();
  const [isChanged, setChanged] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const tracks = useQuery({ ...albumFilesQuery(album.id), staleTime: 0 });
  return (
    <Modal
      opened
      size="min(920px, 100%)"
      onClose={() => (isChanged && !isAsking ? setAsking(true) : close())}
      title={t('albumEdit.title', { title: album.title })}
      closeButtonProps={{ 'aria-label': t('edit.cancel') }}
    >
      {tracks.error && <ErrorState detail={detailOf(tracks.error)} onRetry={() => void tracks.refetch()} />}
      {!tracks.data && !tracks.error && <Skeleton height="320px" />}
      {tracks.data && (
        <Fields
          album={album}
          tracks={tracks.data}
          onChanged={setChanged}
          isAsking={isAsking}
          onStay={() => setAsking(false)}
        />
      )}
    </Modal>
  );
}

interface FieldsProps {
  album: AlbumOut;
  tracks: TrackOut[];
  onChanged: (isChanged: boolean) => void;
  /** True after an attempt to close the form with changes. */
  isAsking: boolean;
  onStay: () => void;
}

function Fields({ album, tracks: loadedTracks, onChanged, isAsking, onStay }: FieldsProps) {
  const { t } = useTranslation();
  // the values at the time of opening: what others change meanwhile is not part of this edit
  const [initialForm] = useState(() => formOf(album, loadedTracks));
  const [form, setForm] = useState(initialForm);
  const [hasTriedToSave, setTried] = useState(false);
  const save = useEditAlbum(album);
  const faults = faultsOf(form);

  const change = (next: AlbumForm) => {
    setForm(next);
    onChanged(patchOf(next, initialForm) !== undefined);
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    const [faultyName] = faults.keys();
    if (faultyName !== undefined)
      return event.currentTarget.querySelector<HTMLElement>(`[name="${faultyName}"]`)?.focus();
    const patch = patchOf(form, initialForm);
    if (patch) save.mutate(patch, { onSuccess: close });
    else close();
  };
  const messageOf = (name: string): string | undefined => {
    const fault = hasTriedToSave ? faults.get(name) : undefined;
    return fault && t(`albumEdit.fault.${fault}`);
  };

  const text = (field: AlbumField, help?: string) => (
    <TextInput
      key={field}
      name={field}
      label={t(`albumEdit.field.${field}`)}
      description={help}
      value={form.texts[field] ?? ''}
      placeholder={
        form.texts[field] === undefined
          ? [t('edit.several'), field === 'year' && album.year !== null && `(${album.year})`].filter(Boolean).join(' ')
          : undefined
      }
      error={messageOf(field)}
      maxLength={500}
      onChange={({ currentTarget: { value } }) =>
        change({
          ...form,
          // an emptied field has the tracks' own values again, if they are different
          texts: {
            ...form.texts,
            [field]: value === '' && initialForm.texts[field] === undefined ? undefined : value,
          },
        })
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      autoFocus={field === 'title'}
      {...((field === 'year' || field === 'original_year') && { inputMode: 'numeric' as const })}
    />
  );

  return (
    <form onSubmit={onSubmit} noValidate className={styles.form}>
      <div className={styles.names}>
        {text('title')}
        {text('artists', t('albumEdit.separate'))}
      </div>
      <div className={styles.fields}>
        {text('year', t('albumEdit.yearHelp'))}
        {text('original_year', t('albumEdit.originalYearHelp'))}
        {text('genres', t('albumEdit.separate'))}
        {text('edition')}
        {text('label')}
        {text('catalog_number')}
        {text('barcode')}
        {text('sort_title')}
      </div>
      <Types form={form} onChange={change} />
      <TrackTable form={form} onChange={change} messageOf={messageOf} />
      <div className={styles.foot}>
        {save.error && (
          <span role="alert" className={styles.error}>
            {detailOf(save.error)}
          </span>
        )}
        {/* Keys, because a clicked button that became the button for saving would save. */}
        {isAsking ? (
          <Fragment key="asking">
            <span role="alert">{t('albumEdit.discard')}</span>
            <Button onClick={onStay} autoFocus>
              {t('albumEdit.stay')}
            </Button>
            <Button variant="primary" onClick={close}>
              {t('albumEdit.discardNow')}
            </Button>
          </Fragment>
        ) : (
          <Fragment key="saving">
            <Button onClick={close}>{t('edit.cancel')}</Button>
            <Button type="submit" variant="primary" disabled={save.isPending}>
              {t('edit.save')}
            </Button>
          </Fragment>
        )}
      </div>
    </form>
  );
}

interface PartProps {
  form: AlbumForm;
  onChange: (form: AlbumForm) => void;
}

function Types({ form, onChange }: PartProps) {
  const { t } = useTranslation();
  const { types } = form;
  const primaryType = PRIMARY_TYPES.find((type) => types.includes(type));
  return (
    <fieldset className={styles.types}>
      <legend>{t('albumEdit.type')}</legend>
      <ChoiceMenu
        label={t('albumEdit.type')}
        value={primaryType ?? 'none'}
        options={['none' as const, ...PRIMARY_TYPES].map((value) => ({ value, label: t(`albumEdit.types.${value}`) }))}
        onChange={(value) => onChange({ ...form, types: withPrimaryType(types, value === 'none' ? null : value) })}
      />
      {SECONDARY_TYPES.map((type) => (
        <Checkbox
          color="var(--ink)"
          iconColor="var(--on-ink)"
          key={type}
          label={t(`albumEdit.types.${type}`)}
          checked={types.includes(type)}
          onChange={({ currentTarget: { checked } }) =>
            onChange({ ...form, types: checked ? [...types, type] : types.filter((other) => other !== type) })
          }
        />
      ))}
      <Checkbox
        color="var(--ink)"
        iconColor="var(--on-ink)"
        label={t('album.compilation')}
        checked={form.isCompilation}
        onChange={({ currentTarget: { checked } }) => onChange({ ...form, isCompilation: checked })}
      />
    </fieldset>
  );
}

function TrackTable({ form, onChange, messageOf }: PartProps & { messageOf: (name: string) => string | undefined }) {
  const { t } = useTranslation();
  const [pastedList, setPastedList] = useState<string | null>(null);
  const setTracks = (tracks: readonly TrackTexts[]) => onChange({ ...form, tracks });
  const titles = titlesIn(pastedList ?? '');
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const input = event.target as HTMLInputElement;
    if (step === undefined || input.tagName !== 'INPUT') return;
    const column = [
      ...event.currentTarget.querySelectorAll<HTMLInputElement>(`[data-column="${input.dataset['column']}"]`),
    ];
    const next = column[column.indexOf(input) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.select();
  };
  const cell = (track: TrackTexts, n: number, column: keyof Omit<TrackTexts, 'id'>) => {
    const message = messageOf(`${column}-${track.id}`);
    return (
      <input
        name={`${column}-${track.id}`}
        className={styles[column]}
        data-column={column}
        aria-label={t('albumEdit.cell', { field: t(`albumEdit.column.${column}`), n: n + 1 })}
        aria-invalid={message !== undefined || undefined}
        title={message}
        value={track[column]}
        maxLength={column === 'disc' || column === 'number' ? 4 : 1000}
        inputMode={column === 'disc' || column === 'number' ? 'numeric' : 'text'}
        onChange={({ currentTarget: { value } }) =>
          setTracks(form.tracks.map((other) => (other.id === track.id ? { ...track, [column]: value } : other)))
        }
      />
    );
  };
  const firstFault = form.tracks
    .flatMap(({ id }) => (['disc', 'number', 'title'] as const).map((column) => messageOf(`${column}-${id}`)))
    .find((message) => message !== undefined);
  return (
    <div className={styles.tracks}>
      <div className={styles.head}>
        <h3>{t('nav.tracks')}</h3>
        <Button onClick={() => setPastedList(pastedList === null ? '' : null)} aria-expanded={pastedList !== null}>
          {t('albumEdit.paste')}
        </Button>
        <Button onClick={() => setTracks(renumbered(form.tracks))}>{t('albumEdit.renumber')}</Button>
      </div>
      {pastedList !== null && (
        <div className={styles.paste}>
          <Textarea
            label={t('albumEdit.pasteLabel')}
            value={pastedList}
            autosize
            minRows={3}
            maxRows={10}
            autoFocus
            onChange={({ currentTarget: { value } }) => setPastedList(value)}
          />
          <Button
            disabled={titles.length === 0}
            onClick={() => {
              setTracks(withTitles(form.tracks, titles));
              setPastedList(null);
            }}
          >
            {t('albumEdit.useTitles', { count: Math.min(titles.length, form.tracks.length) })}
          </Button>
        </div>
      )}
      {firstFault !== undefined && (
        <p role="alert" className={styles.error}>
          {firstFault}
        </p>
      )}
      <div className={styles.columns} aria-hidden>
        {(['disc', 'number', 'title', 'artist'] as const).map((column) => (
          <span key={column}>{t(`albumEdit.column.${column}`)}</span>
        ))}
      </div>
      <ol className={styles.rows} onKeyDown={onKeyDown}>
        {form.tracks.map((track, n) => (
          <li key={track.id}>
            {cell(track, n, 'disc')}
            {cell(track, n, 'number')}
            {cell(track, n, 'title')}
            {cell(track, n, 'artist')}
          </li>
        ))}
      </ol>
    </div>
  );
}
