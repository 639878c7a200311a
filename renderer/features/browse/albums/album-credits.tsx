import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { albumCreditsQuery } from '../../../api/credits.ts';
import type { AlbumCreditOut, TrackOut } from '../../../api/routes.ts';
import { formatNumber } from '../../../ui/format.ts';
import { PersonLink } from '../../../music/person-link.tsx';
import { placesOf } from './credit-places.ts';
import '../../../i18n/page-texts.ts';
import styles from './credits.module.css';

/** Number of people in a role that are listed at first, such as the players of an orchestra. */
const SHOWN_PEOPLE = 12;

/** Who did what on an album, and on which of its tracks. */
export function AlbumCredits({ albumId, tracks }: { albumId: number; tracks: readonly TrackOut[] }) {
  const { t } = useTranslation();
  const { data: credits = [] } = useQuery(albumCreditsQuery(albumId));
  if (credits.length === 0) return null;
  return (
    <section className={styles.section} aria-label={t('credits.title')}>
      <h2>{t('credits.title')}</h2>
      <dl className={styles.roles}>
        {[...Map.groupBy(credits, ({ role }) => role)].map(([role, people]) => (
          <div key={role}>
            <dt>{t(`credits.role.${role}`)}</dt>
            <dd>
              <People people={people} tracks={tracks} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function People({ people, tracks }: { people: readonly AlbumCreditOut[]; tracks: readonly TrackOut[] }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const shownPeople = isOpen ? people : people.slice(0, SHOWN_PEOPLE);
  return (
    <>
      <ul className={styles.people}>
        {shownPeople.map((person) => {
          const places = placesOf(person.track_ids, tracks);
          const notes = [
            person.instrument,
            places !== undefined && t('credits.onTracks', { count: /[,–]/.test(places) ? 2 : 1, places }),
          ].filter(Boolean);
          return (
            <li key={person.person_id}>
              <PersonLink person={person} />
              {notes.length > 0 && <small>{notes.join(' · ')}</small>}
            </li>
          );
        })}
      </ul>
      {people.length > SHOWN_PEOPLE && (
        <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t('credits.less') : t('credits.all', { number: formatNumber(people.length) })}
        </button>
      )}
    </>
  );
}
