// Everything that a search finds, of every kind. Long lists are on their own pages, filtered by the same text.
import { Link, useNavigate, useSearch as useSearchParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '../../i18n/page-texts.ts';
import { detailOf } from '../../api/problem.ts';
import { markItems } from '../../music/item-marks.ts';
import { MoreButton } from '../../music/more-button.tsx';
import { PlayCover } from '../../music/play-cover.tsx';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button, ButtonLink } from '../../ui/controls/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Cover } from '../../ui/cover.tsx';
import { formatNumber } from '../../ui/format.ts';
import { IconSearch } from '../../ui/theme/icons.ts';
import { Page } from '../../ui/page.tsx';
import { moveAmongRows } from '../../ui/lists/row-keys.ts';
import { RowLink } from '../../ui/lists/row-link.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import rows from '../../ui/lists/rows.module.css';
import { factsOf } from './hit-row.tsx';
import { itemsOf, pathOf, playOptionsOf, type Hit, type HitGroup } from './hits.ts';
import { forgetSearches, rememberSearch, useRecentSearches } from './recent.ts';
import { PAGE, useSearch } from './use-search.ts';
import hitStyles from './hits.module.css';
import styles from './search-page.module.css';

/** List pages that accept the search text as a filter. */
const LISTS = { artist: '/artists', album: '/albums', track: '/tracks' } as const;
const PLACEHOLDERS = 12;

export function SearchPage() {
  const { t } = useTranslation();
  const { q: urlQuery = '' } = useSearchParams({ from: '/app/search' });
  const navigate = useNavigate();
  const [text, setText] = useState(urlQuery);
  const { q, groups, error, isNothing, isLoading } = useSearch(text, PAGE);
  const recent = useRecentSearches();
  useEffect(() => setText((now) => (now.trim() === urlQuery ? now : urlQuery)), [urlQuery]);
  useEffect(() => {
    if (q !== urlQuery)
      void navigate({ to: '/search', search: q === '' ? {} : { q }, replace: true, resetScroll: false });
  }, [q]);

  function body() {
    if (error) return <ErrorState detail={detailOf(error)} />;
    if (isNothing) return <EmptyState icon={IconSearch} title={t('search.nothing', { q })} />;
    if (isLoading)
      return (
        <div className={styles.rows} aria-busy>
          {Array.from({ length: PLACEHOLDERS }, (_, i) => (
            <Skeleton key={i} height="52px" />
          ))}
        </div>
      );
    if (q === '') return recent.length > 0 ? <Recent texts={recent} onChoose={setText} /> : <p>{t('search.hint')}</p>;
    return groups.map((group) => <Group key={group.kind} group={group} q={q} />);
  }

  return (
    <Page title={t('nav.search')}>
      <form
        role="search"
        className={styles.field}
        onSubmit={(event) => {
          event.preventDefault();
          rememberSearch(text);
        }}
      >
        <IconSearch size={20} aria-hidden />
        <input
          type="search"
          className={hitStyles.input}
          aria-label={t('search.label')}
          placeholder={t('search.placeholder')}
          value={text}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.currentTarget.value)}
          onBlur={() => rememberSearch(text)}
        />
      </form>
      {body()}
    </Page>
  );
}

function Recent({ texts, onChoose }: { texts: readonly string[]; onChoose: (text: string) => void }) {
  const { t } = useTranslation();
  return (
    <section aria-label={t('search.group.recent')}>
      <header className={styles.head}>
        <h2>{t('search.group.recent')}</h2>
        <Button variant="plain" onClick={forgetSearches}>
          {t('search.forget')}
        </Button>
      </header>
      <div className={styles.recent}>
        {texts.map((text) => (
          <Button key={text} onClick={() => onChoose(text)}>
            {text}
          </Button>
        ))}
      </div>
    </section>
  );
}

function Group({ group: { kind, total, hits }, q }: { group: HitGroup; q: string }) {
  const { t } = useTranslation();
  const name = t(`search.group.${kind}`);
  const hasMore = total !== null && total > hits.length;
  return (
    <section className={styles.group} aria-label={name}>
      <header className={styles.head}>
        <h2>{name}</h2>
        {total !== null && <span>{formatNumber(total)}</span>}
        {hasMore && kind in LISTS && (
          <Link to={LISTS[kind as keyof typeof LISTS]} search={{ q }}>
            {t('search.showAll')}
          </Link>
        )}
        {kind === 'remote' && (
          <Link to="/discover" search={{ q }}>
            {t('search.showAll')}
          </Link>
        )}
      </header>
      <ul className={styles.rows} onKeyDown={moveAmongRows}>
        {hits.map((hit) => (
          <HitItem key={hit.id} hit={hit} q={q} />
        ))}
      </ul>
      {hasMore && kind in LISTS && (
        <ButtonLink to={LISTS[kind as keyof typeof LISTS]} search={{ q }}>
          {t('search.allOf', { name, number: formatNumber(total) })}
        </ButtonLink>
      )}
    </section>
  );
}

function HitItem({ hit, q }: { hit: Hit; q: string }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const facts = factsOf(hit, t);
  const items = itemsOf(hit);
  const { icon: Symbol } = facts;
  return (
    <li className={classNames(hitStyles.hit, styles.row)} draggable={items !== null} {...(items && markItems(items))}>
      {hit.kind === 'track' || hit.kind === 'lyrics' ? (
        <PlayCover track={hit.track} onPlay={() => player.playTracks([hit.track], playOptionsOf(hit))} />
      ) : Symbol ? (
        <span className={hitStyles.symbol}>
          <Symbol size={20} stroke={1.75} aria-hidden />
        </span>
      ) : (
        <Cover src={facts.cover ?? null} alt="" {...(facts.name !== undefined && { name: facts.name })} />
      )}
      <div className={rows.text}>
        <Target hit={hit} q={q} title={facts.title} />
        <span className={classNames(rows.by, isWindowPart(hit) && styles.whole)}>{facts.by}</span>
      </div>
      {items && <MoreButton items={items} name={facts.title} />}
    </li>
  );
}

const isWindowPart = (hit: Hit): hit is Extract<Hit, { kind: 'command' | 'setting' }> =>
  hit.kind === 'command' || hit.kind === 'setting';

/** Makes the name of a result a link or a button, depending on the kind of result. */
function Target({ hit, q, title }: { hit: Hit; q: string; title: string }) {
  if (isWindowPart(hit))
    return (
      <button type="button" className={classNames(rows.title, styles.whole)} data-stop onClick={hit.command.run}>
        {title}
      </button>
    );
  if (hit.kind === 'remote' || hit.kind === 'recent')
    return (
      <Link to="/discover" search={{ q }} className={rows.title} data-stop>
        {title}
      </Link>
    );
  const href =
    hit.kind === 'track' || hit.kind === 'lyrics'
      ? hit.track.album_id === null
        ? null
        : `/albums/${hit.track.album_id}`
      : pathOf(hit);
  return href === null ? (
    <span className={rows.title}>{title}</span>
  ) : (
    <RowLink href={href} className={rows.title} data-stop>
      {title}
    </RowLink>
  );
}
