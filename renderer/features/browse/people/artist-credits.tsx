import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { PersonOut } from '../../../api/routes.ts';
import pill from '../../../ui/controls/pill.module.css';
import { IconForward } from '../../../ui/theme/icons.ts';
import '../../../i18n/page-texts.ts';
import styles from './artist-credits.module.css';
import shelf from '../shelf.module.css';

/** The roles of an artist besides that of an artist, each linked to the tracks in this role. */
export function ArtistCredits({ person }: { person: PersonOut }) {
  const { t } = useTranslation();
  const params = { personId: person.id };
  return (
    <section className={shelf.shelf} aria-label={t('credits.title')}>
      <div className={shelf.head}>
        <Link to="/people/$personId" params={params}>
          <h2>{t('credits.title')}</h2>
          <IconForward size={20} aria-hidden />
        </Link>
      </div>
      <ul className={styles.roles}>
        {person.roles.map(({ role, track_count }) => (
          <li key={role}>
            <Link to="/people/$personId" params={params} search={{ role }} className={pill.pill}>
              {t(`credits.role.${role}`)} · {t('track.count', { count: track_count })}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
