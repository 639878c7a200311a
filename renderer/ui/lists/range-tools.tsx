import { useTranslation } from 'react-i18next';
import { ChoiceMenu } from '../controls/choice-menu.tsx';
import { RANGES, type RangeName, type RangeSearch } from '../day-range.ts';
import styles from './range-tools.module.css';

interface RangeToolsProps {
  search: RangeSearch;
  defaultRange: RangeName;
  onChange: (search: RangeSearch) => void;
}

/** Chooses the displayed range of days, which the page stores in the URL. */
export function RangeTools({ search, defaultRange, onChange }: RangeToolsProps) {
  const { t } = useTranslation();
  const range = search.range ?? defaultRange;
  const field = (name: 'from' | 'to') => (
    <input
      type="date"
      className={styles.day}
      aria-label={t(`range.${name}`)}
      value={search[name] ?? ''}
      onChange={({ currentTarget: { value } }) => {
        const { [name]: _, ...rest } = search;
        onChange({ ...rest, ...(value !== '' && { [name]: value }) });
      }}
    />
  );
  return (
    <>
      {range === 'custom' && (
        <span className={styles.days}>
          {field('from')}
          <span aria-hidden>–</span>
          {field('to')}
        </span>
      )}
      <ChoiceMenu
        label={t('range.label')}
        value={range}
        options={RANGES.map((value) => ({ value, label: t(`range.${value}`) }))}
        onChange={(next) => onChange(next === defaultRange ? {} : { range: next })}
      />
    </>
  );
}
