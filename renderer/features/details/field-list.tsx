import { useTranslation } from 'react-i18next';
import { COMPARED_FIELDS, valuesOf, type FieldName } from './match-changes.ts';
import type { MatchesOut, TrackOut } from '../../api/routes.ts';
import { labelOfTag } from '../../music/tag-names.ts';
import '../../i18n/page-texts.ts';
import styles from './details.module.css';

/** Fields that are displayed even if they are empty, because their absence is a fault. */
const ALWAYS_SHOWN = new Set<FieldName>([
  'title',
  'artist',
  'album',
  'album_artist',
  'year',
  'track_number',
  'disc_number',
  'genre',
]);

/** Every field with its value and the origin of the value, and the values of tags. */
export function FieldList({ track, origins }: { track: TrackOut; origins: MatchesOut['origins'] }) {
  const { t } = useTranslation();
  const values = valuesOf(track);
  return (
    <section aria-label={t('details.fields')}>
      <h3>{t('details.fields')}</h3>
      <dl className={styles.fields}>
        {COMPARED_FIELDS.filter((field) => ALWAYS_SHOWN.has(field) || values[field] !== null).map((field) => {
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
        {Object.entries(track.tags).map(([name, tagValues]) => (
          <div key={name}>
            <dt>{labelOfTag(t, name)}</dt>
            <dd>{tagValues.join(', ')}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
