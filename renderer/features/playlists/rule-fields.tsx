import { useTranslation } from 'react-i18next';
import type { SmartFields } from '../../api/playlists.ts';
import { MOODS } from '../../music/moods.ts';
import { useOwnPlaylists } from '../../music/add-to-playlist.tsx';
import { labelOfRule, newCondition, unitOf, valuesOf, withField, type Condition } from './rules.ts';
import styles from './rules.module.css';

interface ConditionProps {
  condition: Condition;
  fields: SmartFields;
  onChange: (condition: Condition) => void;
}

/** The form fields of one rule: field, operator and value. */
export function ConditionFields({ condition, fields, onChange }: ConditionProps) {
  const { t } = useTranslation();
  const { field, op } = condition;
  const fieldInfo = fields.fields.find((candidate) => candidate.field === field);
  const kind = fieldInfo?.kind ?? 'text';
  return (
    <>
      <select
        className={styles.select}
        aria-label={t('rules.field')}
        value={field}
        onChange={(event) => onChange(withField(condition, event.currentTarget.value, fields))}
      >
        {fields.fields.map((fieldOption) => (
          <option key={fieldOption.field} value={fieldOption.field}>
            {t(labelOfRule(fieldOption.field))}
          </option>
        ))}
      </select>
      {kind !== 'boolean' && (
        <select
          className={styles.select}
          aria-label={t('rules.operator')}
          value={op}
          onChange={(event) => {
            const next = event.currentTarget.value;
            onChange(
              valuesOf(next) === valuesOf(op) && isDays(next) === isDays(op)
                ? { ...condition, op: next }
                : newCondition(field, next, kind),
            );
          }}
        >
          {fieldInfo?.operators.map((operator) => (
            <option key={operator} value={operator}>
              {t(`rules.operators.${operator as 'is'}`)}
            </option>
          ))}
        </select>
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

function ValueField({ kind, condition: { field, op }, label, value, onChange }: ValueProps) {
  const { t } = useTranslation();
  const playlists = useOwnPlaylists();
  const commonProps = { className: styles.input, 'aria-label': label };
  if (kind === 'boolean') {
    return (
      <select
        {...commonProps}
        value={value === false ? 'false' : 'true'}
        onChange={(event) => onChange(event.currentTarget.value === 'true')}
      >
        <option value="true">{t('rules.yes')}</option>
        <option value="false">{t('rules.no')}</option>
      </select>
    );
  }
  if (kind === 'mood') {
    return (
      <select
        {...commonProps}
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {MOODS.map((mood) => (
          <option key={mood} value={mood}>
            {t(`mood.${mood}`)}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'playlist') {
    return (
      <select
        {...commonProps}
        value={typeof value === 'number' ? value : ''}
        onChange={(event) => onChange(Number(event.currentTarget.value) || undefined)}
      >
        <option value="">{t('rules.choosePlaylist')}</option>
        {playlists.map((playlist) => (
          <option key={playlist.id} value={playlist.id}>
            {playlist.name}
          </option>
        ))}
      </select>
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
