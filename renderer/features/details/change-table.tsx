import { useTranslation } from 'react-i18next';
import type { Change } from './match-changes.ts';
import '../../i18n/page-texts.ts';
import styles from './details.module.css';

/** Current and proposed values; with `isDone`, the values before and after an edit. */
export function ChangeTable({ changes, isDone = false }: { changes: readonly Change[]; isDone?: boolean }) {
  const { t } = useTranslation();
  if (changes.length === 0) return <p className={styles.quiet}>{t('details.noChange')}</p>;
  return (
    <table className={styles.changes}>
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">{t('details.field')}</span>
          </th>
          <th scope="col">{t(isDone ? 'details.wasBefore' : 'details.before')}</th>
          <th scope="col">{t(isDone ? 'details.isAfter' : 'details.after')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, before, after }) => (
          <tr key={field}>
            <th scope="row">{t(`field.${field}`)}</th>
            <td>
              {before === null ? <span className={styles.quiet}>{t('details.nothing')}</span> : <del>{before}</del>}
            </td>
            <td>
              {after === null ? <span className={styles.quiet}>{t('details.nothing')}</span> : <ins>{after}</ins>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
