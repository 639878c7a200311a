// Information about an artist, or about an album and its labels: a text, years, people, links, and its sources.
import { useQuery, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { lazy, Suspense, useId, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AboutOut } from '../../../server/about/wire.ts';
import type { AlbumAbout as AlbumAboutOut, ArtistAbout as ArtistAboutOut, ArtistOut } from '../../api/routes.ts';
import { albumAboutQuery, artistAboutQuery, lookUpAbout } from '../../api/about.ts';
import { useSession } from '../../api/session.ts';
import { ServiceQuestion } from '../../music/service-question.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { formatNumber } from '../../ui/format.ts';
import { Skeleton } from '../../ui/states.tsx';
import '../../i18n/page-texts.ts';
import styles from './about.module.css';

const IdentityDialog = lazy(async () => ({ default: (await import('./artists/artist-dialogs.tsx')).IdentityDialog }));

const LICENCE_OF_TEXT = 'https://creativecommons.org/licenses/by-sa/4.0/';
const NAMES: Record<string, string> = {
  bandcamp: 'Bandcamp',
  soundcloud: 'SoundCloud',
  youtube: 'YouTube',
  discogs: 'Discogs',
  allmusic: 'AllMusic',
  'last.fm': 'Last.fm',
  'setlist.fm': 'setlist.fm',
  songkick: 'Songkick',
};

const useLanguage = (): string => useTranslation().i18n.language.split('-', 1)[0] ?? 'en';

/** Number of members of an orchestra or a choir that are listed at first; the others are listed on request. */
const SHOWN_PEOPLE = 12;

/** Requests a lookup once per page if one is due. */
function useLookup(kind: 'artists' | 'albums', id: number, isDue: boolean, key: QueryKey) {
  const queries = useQueryClient();
  return useQuery({
    queryKey: ['about-lookup', kind, id] as const,
    queryFn: async ({ signal }) => {
      const answer = await lookUpAbout(kind, id, signal);
      void queries.invalidateQueries({ queryKey: key });
      return answer;
    },
    enabled: isDue,
    retry: false,
    staleTime: 60_000,
  });
}

export function ArtistAbout({ artist }: { artist: ArtistOut }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const user = useSession()?.user;
  const query = artistAboutQuery(artist.id, language);
  const { data } = useQuery(query);
  const lookup = useLookup('artists', artist.id, data?.state === 'due', query.queryKey);
  const [isIdentifying, setIdentifying] = useState(false);
  if (!data) return null;
  const mayIdentify = user?.can_edit === true && data.state !== 'off';
  return (
    <section className={styles.about} aria-label={t('about.title')} aria-busy={lookup.isFetching}>
      {data.about ? (
        <Facts about={data.about} t={t} />
      ) : (
        <Absent state={data.state} isAsking={lookup.isFetching} isOwner={user?.is_superuser === true} />
      )}
      <People people={data.people} t={t} />
      {data.about && <Links about={data.about} mbid={data.artist_mbid} t={t} />}
      <PictureCredit picture={data.picture} t={t} />
      {mayIdentify && (
        <Button variant="plain" className={styles.other ?? ''} onClick={() => setIdentifying(true)}>
          {t(data.about ? 'about.isOther' : 'about.who')}
        </Button>
      )}
      {isIdentifying && (
        <Suspense>
          <IdentityDialog artist={artist} about={data} onClose={() => setIdentifying(false)} />
        </Suspense>
      )}
    </section>
  );
}

export function AlbumAbout({ albumId }: { albumId: number }) {
  const { t } = useTranslation();
  const query = albumAboutQuery(albumId, useLanguage());
  const { data } = useQuery(query);
  useLookup('albums', albumId, data?.state === 'due', query.queryKey);
  if (!data) return null;
  const labels = data.labels.filter(isWorthShowing);
  if (!data.about?.text && labels.length === 0) return null;
  return (
    <section className={classNames(styles.about, styles.album)} aria-label={t('about.album')}>
      {data.about?.text && (
        <>
          <h2>{t('about.album')}</h2>
          <Text text={data.about.text} t={t} />
        </>
      )}
      {labels.map((label) => (
        <div key={label.name} className={styles.label}>
          <h3>{t('about.label', { name: label.name })}</h3>
          <Facts about={label} t={t} />
        </div>
      ))}
    </section>
  );
}

const isWorthShowing = ({ text, country, begin }: AboutOut): boolean =>
  text !== null || country !== null || begin !== null;

/** Says that no information is available, and whether that may change. */
function Absent({ state, isAsking, isOwner }: { state: AlbumAboutOut['state']; isAsking: boolean; isOwner: boolean }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  if (state === 'off')
    return isOwner ? (
      <ServiceQuestion
        setting="artist_info_enabled"
        question={t('about.ask')}
        help={t('about.askHelp')}
        yes={t('about.yes')}
        no={t('about.no')}
        onAnswer={() => void queries.invalidateQueries()}
      />
    ) : null;
  if (isAsking)
    return (
      <div className={styles.waiting} role="status" aria-label={t('about.asking')}>
        <Skeleton />
        <Skeleton />
        <Skeleton width="60%" />
      </div>
    );
  if (state === 'failed') return <p className={styles.quiet}>{t('about.failed')}</p>;
  return null;
}

function Facts({ about, t }: { about: AboutOut; t: TFunction }) {
  const facts = [placeOf(about), yearsOf(about, t)].filter(Boolean);
  return (
    <>
      {facts.length > 0 && <p className={styles.facts}>{facts.join(' · ')}</p>}
      {about.text && <Text text={about.text} t={t} />}
    </>
  );
}

function Text({ text: { text, language, url, title }, t }: { text: NonNullable<AboutOut['text']>; t: TFunction }) {
  const id = useId();
  const element = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isLong, setLong] = useState(false);
  useLayoutEffect(() => {
    const textElement = element.current;
    if (!textElement || isOpen) return;
    const measure = () => setLong(textElement.scrollHeight > textElement.clientHeight + 1);
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(textElement);
    return () => watcher.disconnect();
  }, [text, isOpen]);
  return (
    <div>
      <div ref={element} id={id} className={styles.text} data-open={isOpen || undefined} lang={language} dir="auto">
        {text.split('\n').map((paragraph, i) => (
          <p key={i}>{paragraph}</p>
        ))}
      </div>
      {(isLong || isOpen) && (
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {t(isOpen ? 'about.less' : 'about.more')}
        </button>
      )}
      <p className={styles.credit}>
        <Outside href={url}>{t('about.article', { title })}</Outside>
        {', '}
        <span className={styles.licence}>
          <Outside href={LICENCE_OF_TEXT}>CC BY-SA 4.0</Outside>
        </span>
      </p>
    </div>
  );
}

function People({ people, t }: { people: ArtistAboutOut['people']; t: TFunction }) {
  const [isOpen, setOpen] = useState(false);
  return (['member', 'group'] as const).map((relation) => {
    const peopleOfRelation = people.filter((person) => person.relation === relation);
    if (peopleOfRelation.length === 0) return null;
    const shownPeople = isOpen ? peopleOfRelation : peopleOfRelation.slice(0, SHOWN_PEOPLE);
    return (
      <div key={relation} className={styles.people}>
        <h2>{t(relation === 'member' ? 'about.members' : 'about.groups')}</h2>
        <ul>
          {shownPeople.map(({ name, artist_id, begin, end, ended }, i) => (
            <li key={`${name} ${i}`}>
              {artist_id === null ? (
                name
              ) : (
                <Link to="/artists/$artistId" params={{ artistId: artist_id }}>
                  {name}
                </Link>
              )}
              {spanOf(begin, end, ended) && <small> {spanOf(begin, end, ended)}</small>}
            </li>
          ))}
        </ul>
        {peopleOfRelation.length > SHOWN_PEOPLE && (
          <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? t('about.less') : t('about.all', { number: formatNumber(peopleOfRelation.length) })}
          </button>
        )}
      </div>
    );
  });
}

function Links({ about, mbid, t }: { about: AboutOut; mbid: string | null; t: TFunction }) {
  const links = about.links.map(({ kind, url }) => ({
    url,
    name: kind === 'homepage' ? t('about.homepage') : (NAMES[kind] ?? new URL(url).hostname.replace(/^www\./, '')),
  }));
  if (mbid !== null) links.push({ url: `https://musicbrainz.org/artist/${mbid}`, name: 'MusicBrainz' });
  return (
    <ul className={styles.links} aria-label={t('about.links')}>
      {links.map(({ url, name }) => (
        <li key={url}>
          <Outside href={url}>{name}</Outside>
        </li>
      ))}
    </ul>
  );
}

function PictureCredit({ picture, t }: { picture: ArtistAboutOut['picture']; t: TFunction }) {
  if (!picture || picture.licence === null) return null;
  const by = picture.author ? t('about.pictureBy', { author: picture.author }) : t('about.picture');
  return (
    <p className={styles.credit}>
      {picture.page_url ? <Outside href={picture.page_url}>{by}</Outside> : by}
      {', '}
      <span className={styles.licence}>
        {picture.licence_url ? <Outside href={picture.licence_url}>{picture.licence}</Outside> : picture.licence}
      </span>
      {', Wikimedia Commons'}
    </p>
  );
}

const Outside = ({ href, children }: { href: string; children: string }) => (
  <a href={href} target="_blank" rel="noopener noreferrer">
    {children}
  </a>
);

const yearIn = (date: string | null): string | null => date?.slice(0, 4) ?? null;

function spanOf(begin: string | null, end: string | null, ended: boolean): string {
  const [from, to] = [yearIn(begin), yearIn(end)];
  if (from === null && to === null) return '';
  if (from === to) return from ?? '';
  return `${from ?? ''}–${to ?? (ended ? '?' : '')}`;
}

function yearsOf({ type, begin, end, ended }: AboutOut, t: TFunction): string {
  const from = yearIn(begin);
  if (end === null && !ended && from !== null)
    return t(type === 'Person' ? 'about.born' : 'about.since', { year: from });
  return spanOf(begin, end, ended);
}

function placeOf({ area, country }: AboutOut): string {
  const name = country === null ? null : nameOfCountry(country);
  return [area, name].filter((part, i, parts) => part && parts.indexOf(part) === i).join(', ');
}

function nameOfCountry(code: string): string {
  return new Intl.DisplayNames([document.documentElement.lang || 'en'], { type: 'region' }).of(code) ?? code;
}
