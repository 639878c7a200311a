import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { personQuery } from '../../../api/credits.ts';
import { detailOf, isAbsent } from '../../../api/problem.ts';
import type { PersonOut } from '../../../api/routes.ts';
import { AbsentPage } from '../../../music/absent-page.tsx';
import { PlayButton } from '../../../music/play-button.tsx';
import { usePlayList } from '../../../music/use-play-list.ts';
import { ButtonLink } from '../../../ui/controls/button.tsx';
import { ChoiceMenu } from '../../../ui/controls/choice-menu.tsx';
import { Hero, HeroPage, HeroSkeleton } from '../../../ui/hero.tsx';
import { usePageTitle } from '../../../ui/page.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { IconCredits } from '../../../ui/theme/icons.ts';
import { TrackList } from '../tracks/track-list.tsx';
import { parseTrackSearch } from '../url-params.ts';
import { CreditShelves } from './credit-shelves.tsx';
import '../../../i18n/page-texts.ts';

/** If the URL has this as `role`, the page lists tracks in all roles of the person. */
const EVERY_ROLE = 'all';
const OVERVIEW = 'overview';

/** The page of a person with credits: albums by role, or all tracks in a role. */
export function PersonPage() {
  const { personId } = useParams({ from: '/app/people/$personId' });
  const { role } = useSearch({ from: '/app/people/$personId' });
  const person = useQuery(personQuery(personId));
  if (isAbsent(person.error)) return <AbsentPage kind="person" />;
  if (person.error) return <ErrorState detail={detailOf(person.error)} onRetry={() => void person.refetch()} />;
  if (!person.data) return <HeroSkeleton round />;
  const chosenRole = role === EVERY_ROLE ? role : person.data.roles.find((candidate) => candidate.role === role)?.role;
  return chosenRole === undefined ? (
    <Overview person={person.data} />
  ) : (
    <PersonTracks person={person.data} role={chosenRole} />
  );
}

function Overview({ person }: { person: PersonOut }) {
  const { t } = useTranslation();
  const play = usePlayList();
  usePageTitle(person.name);
  const [onlyRole] = person.roles;
  return (
    <HeroPage accent={{}}>
      <Hero
        round
        kind={person.roles.map(({ role }) => t(`credits.role.${role}`)).join(' · ')}
        name={person.name}
        cover={null}
        by={
          person.artist_id !== null && (
            <Link to="/artists/$artistId" params={{ artistId: person.artist_id }}>
              {t('credits.artistPage')}
            </Link>
          )
        }
        facts={
          person.roles.length === 1 && onlyRole
            ? [
                onlyRole.album_count > 0 && t('album.count', { count: onlyRole.album_count }),
                t('track.count', { count: onlyRole.track_count }),
              ]
            : []
        }
        actions={
          <>
            <PlayButton
              has={() => false}
              onPlay={() => play({ name: person.name, query: { credit_id: person.id, sort: 'album' } }, 0)}
            />
            <ButtonLink to="/people/$personId" params={{ personId: person.id }} search={{ role: EVERY_ROLE }}>
              {t('credits.allTracks')}
            </ButtonLink>
          </>
        }
      />
      <CreditShelves person={person} />
    </HeroPage>
  );
}

type Role = PersonOut['roles'][number]['role'];

function PersonTracks({ person, role }: { person: PersonOut; role: Role | typeof EVERY_ROLE }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const search = useSearch({ from: '/app/people/$personId' });
  const show = (next: object, replace: boolean) =>
    void navigate({ to: '/people/$personId', params: { personId: person.id }, search: next, replace });
  return (
    <TrackList
      title={person.name}
      search={parseTrackSearch({ ...search })}
      onSearch={(next) => show({ ...next, role }, true)}
      always={{ credit_id: person.id, ...(role !== EVERY_ROLE && { credit_role: role }) }}
      defaultSort="album"
      empty={<EmptyState icon={IconCredits} title={t('list.noMatch')} />}
      tools={
        <ChoiceMenu<string>
          label={t('credits.roles')}
          value={role}
          options={[
            { value: OVERVIEW, label: t('credits.overview') },
            { value: EVERY_ROLE, label: t('credits.everyRole') },
            ...person.roles.map((option) => ({
              value: option.role,
              label: t(`credits.role.${option.role}`),
            })),
          ]}
          onChange={(next) => show(next === OVERVIEW ? {} : { role: next }, false)}
        />
      }
    />
  );
}
