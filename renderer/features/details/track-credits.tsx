import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { trackCreditsQuery } from '../../api/credits.ts';
import type { TrackOut } from '../../api/routes.ts';
import { PersonLink } from '../../music/person-link.tsx';
import styles from './details.module.css';

/** Who did what on a track. */
export function TrackCredits({ track }: { track: TrackOut }) {
  const { t } = useTranslation();
  const { data: credits = [] } = useQuery(trackCreditsQuery(track.id));
  if (credits.length === 0) return null;
  return (
    <section aria-label={t('credits.title')}>
      <h3>{t('credits.title')}</h3>
      <dl className={styles.fields}>
        {[...Map.groupBy(credits, ({ role }) => role)].map(([role, people]) => (
          <div key={role}>
            <dt>{t(`credits.role.${role}`)}</dt>
            <dd>
              <ul className={styles.credits}>
                {people.map((person) => (
                  <li key={person.person_id}>
                    <PersonLink person={person} />
                    {person.instrument !== null && <span className={styles.quiet}> {person.instrument}</span>}
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
