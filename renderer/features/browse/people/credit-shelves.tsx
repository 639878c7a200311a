import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { albumPage } from '../../../api/library.ts';
import type { PersonOut } from '../../../api/routes.ts';
import { IconForward } from '../../../ui/theme/icons.ts';
import { Shelf } from '../shelf.tsx';
import '../../../i18n/page-texts.ts';
import styles from '../shelf.module.css';

/** A shelf has only the latest albums; the page of the role has all tracks. */
const SHELF_PAGE = { limit: 50, offset: 0 };

/** The albums of a person, a shelf for each role; its heading links to the tracks. */
export const CreditShelves = ({ person }: { person: PersonOut }) =>
  person.roles.map((role) => <RoleShelf key={role.role} person={person} role={role} />);

function RoleShelf({ person, role }: { person: PersonOut; role: PersonOut['roles'][number] }) {
  const { t } = useTranslation();
  const filter = { credit_id: person.id, credit_role: role.role, unnamed: false, sort: 'year' } as const;
  const albums = useQuery(albumPage(filter, SHELF_PAGE));
  const title = `${t(`credits.role.${role.role}`)} · ${t('track.count', { count: role.track_count })}`;
  const to = { to: '/people/$personId', params: { personId: person.id }, search: { role: role.role } } as const;
  if (albums.data?.total !== 0)
    return (
      <Shelf
        title={title}
        albums={albums.data?.items}
        to={to}
        captionOf={({ artist_name, year }) => [artist_name, year].filter(Boolean).join(' · ')}
      />
    );
  return (
    <section className={styles.shelf} aria-label={title}>
      <div className={styles.head}>
        <Link {...to}>
          <h2>{title}</h2>
          <IconForward size={20} aria-hidden />
        </Link>
      </div>
    </section>
  );
}
