import { useTranslation } from 'react-i18next';
import type { MatchesOut } from '../../../server/enrichment/wire.ts';
import type { TrackOut } from '../../../server/library/wire.ts';
import { FIELDS, valuesOf } from './changes.ts';
import styles from './details.module.css';

/** Every field, and where its value came from. */
export function FieldList({ track, origins }: { track: TrackOut; origins: MatchesOut['origins'] }) {
  const { t } = useTranslation();
  const values = valuesOf(track);
  return (
    <section aria-label={t('details.fields')}>
      <h3>{t('details.fields')}</h3>
      <dl className={styles.fields}>
        {FIELDS.map((field) => {
          const origin = origins[field];
          return (
            <div key={field}>
              <dt>{t(`field.${field}`)}</dt>
              <dd>
                <span>{values[field] ?? <span className={styles.quiet}>{t('details.nothing')}</span>}</span>
                {origin && values[field] !== null && (
                  <span className={styles.origin} data-origin={origin} title={t(`originText.${origin}`)}>
                    {t(`origin.${origin}`)}
                  </span>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
