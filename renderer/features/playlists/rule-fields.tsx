import { NativeSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { tagValuesQuery } from '../../api/tags.ts';
import type { SmartFields } from '../../api/playlists.ts';
import { MOODS } from '../../music/moods.ts';
import { labelOfTag, useTags } from '../../music/tag-names.ts';
import { useOwnPlaylists } from '../../music/add-to-playlist.tsx';
import { labelOfRule, newCondition, optionOf, unitOf, valuesOf, withOption, type Condition } from './rules.ts';
import styles from './rules.module.css';

interface ConditionProps {
  condition: Condition;
  fields: SmartFields;
  onChange: (condition: Condition) => void;
}

/** The form fields of one rule: field, operator and value. */
export function ConditionFields({ condition, fields, onChange }: ConditionProps) {
  const { t } = useTranslation();
  const { field, tag, op } = condition;
  const tags = useTags();
  const fieldInfo = fields.fields.find((candidate) => candidate.field === field);
  const kind = fieldInfo?.kind ?? 'text';
  // a rule may name a tag that is no longer in the settings
  const tagNames = [...new Set([...tags.map(({ name }) => name), ...(tag === undefined ? [] : [tag])])];
  return (
    <>
      <NativeSelect
        aria-label={t('rules.field')}
        value={optionOf(condition)}
        onChange={(event) => onChange(withOption(condition, event.currentTarget.value, fields))}
      >
        {fields.fields
          .filter((fieldOption) => fieldOption.field !== 'tag')
          .map((fieldOption) => (
            <option key={fieldOption.field} value={fieldOption.field}>
              {t(labelOfRule(fieldOption.field))}
            </option>
          ))}
        {tagNames.map((name) => (
          <option key={name} value={optionOf({ field: 'tag', tag: name, op })}>
            {labelOfTag(t, name)}
          </option>
        ))}
      </NativeSelect>
      {kind !== 'boolean' && (
        <NativeSelect
          aria-label={t('rules.operator')}
          value={op}
          onChange={(event) => {
            const next = event.currentTarget.value;
            onChange(
              valuesOf(next) === valuesOf(op) && isDays(next) === isDays(op)
                ? { ...condition, op: next }
                : { ...newCondition(field, next, kind), ...(tag !== undefined && { tag }) },
            );
          }}
        >
          {fieldInfo?.operators.map((operator) => (
            <option key={operator} value={operator}>
              {t(`rules.operators.${operator as 'is'}`)}
            </option>
          ))}
        </NativeSelect>
      )}
      {valuesOf(op) === 2
        ? [0, 1].map((i) => (
            <ValueField
              key={i}
              kind={kind}
              condition={condition}
              label={t(i === 0 ? 'rules.from' : 'rules.to')}
              value={pairOf(condition)[i]}
              onChange={(value) =>
                onChange({
                  ...condition,
                  value: pairOf(condition).map((oldValue, index) => (index === i ? value : oldValue)),
                })
              }
            />
          ))
        : valuesOf(op) === 1 && (
            <ValueField
              kind={kind}
              condition={condition}
              label={t('rules.value')}
              value={condition.value}
              onChange={(value) => onChange({ ...condition, value })}
            />
          )}
    </>
  );
}

const isDays = (op: string) => op === 'in_the_last' || op === 'not_in_the_last';
const pairOf = ({ value }: Condition): unknown[] => (Array.isArray(value) ? value : ['', '']);

interface ValueProps {
  kind: string;
  condition: Condition;
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

function ValueField({ kind, condition: { field, tag, op }, label, value, onChange }: ValueProps) {
  const { t } = useTranslation();
  const playlists = useOwnPlaylists();
  const commonProps = { className: styles.input, 'aria-label': label };
  if (kind === 'boolean') {
    return (
      <NativeSelect
        className={styles.choice}
        aria-label={label}
        value={value === false ? 'false' : 'true'}
        onChange={(event) => onChange(event.currentTarget.value === 'true')}
      >
        <option value="true">{t('rules.yes')}</option>
        <option value="false">{t('rules.no')}</option>
      </NativeSelect>
    );
  }
  if (kind === 'mood') {
    return (
      <NativeSelect
        className={styles.choice}
        aria-label={label}
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {MOODS.map((mood) => (
          <option key={mood} value={mood}>
            {t(`mood.${mood}`)}
          </option>
        ))}
      </NativeSelect>
    );
  }
  if (kind === 'playlist') {
    return (
      <NativeSelect
        className={styles.choice}
        aria-label={label}
        value={typeof value === 'number' ? value : ''}
        onChange={(event) => onChange(Number(event.currentTarget.value) || undefined)}
      >
        <option value="">{t('rules.choosePlaylist')}</option>
        {playlists.map((playlist) => (
          <option key={playlist.id} value={playlist.id}>
            {playlist.name}
          </option>
        ))}
      </NativeSelect>
    );
  }
  if (kind === 'number' || isDays(op)) {
    const unit = isDays(op) ? 1 : unitOf(field);
    return (
      <span className={styles.withUnit}>
        <input
          {...commonProps}
          type="number"
          min={0}
          step="any"
          value={typeof value === 'number' ? value / unit : ''}
          onChange={(event) =>
            onChange(
              Number.isNaN(event.currentTarget.valueAsNumber)
                ? ''
                : Math.round(event.currentTarget.valueAsNumber * unit),
            )
          }
        />
        {(isDays(op) || unit > 1) && (
          <span>{t(isDays(op) ? 'rules.units.days' : `rules.units.${field as 'duration_ms'}`)}</span>
        )}
      </span>
    );
  }
  if (tag !== undefined) return <TagValueField {...commonProps} tag={tag} value={value} onChange={onChange} />;
  return (
    <input
      {...commonProps}
      type={kind === 'date' ? 'date' : 'text'}
      maxLength={500}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

const TYPING_PAUSE_MS = 150;

interface TagValueProps {
  className: string | undefined;
  'aria-label': string;
  tag: string;
  value: unknown;
  onChange: (value: string) => void;
}

/** A text field that suggests values of a tag. */
function TagValueField({ tag, value, onChange, ...commonProps }: TagValueProps) {
  const listId = useId();
  const text = typeof value === 'string' ? value : '';
  const [settledText] = useDebouncedValue(text.trim(), TYPING_PAUSE_MS);
  const { data } = useQuery({ ...tagValuesQuery(tag, settledText), retry: false });
  return (
    <>
      <input
        {...commonProps}
        type="text"
        list={listId}
        maxLength={500}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {data?.items.map((item) => (
          <option key={item.value} value={item.value} />
        ))}
      </datalist>
    </>
  );
}
