import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { peoplePage, rolesQuery } from '../../../api/credits.ts';
import type { PageAt } from '../../../api/library.ts';
import { usePagedList } from '../../../api/paged-list.ts';
import { detailOf } from '../../../api/problem.ts';
import type { CreditRole, ListedPersonOut } from '../../../api/routes.ts';
import { useJump } from '../../../music/type-ahead.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ChoiceMenu } from '../../../ui/controls/choice-menu.tsx';
import pill from '../../../ui/controls/pill.module.css';
import { formatNumber } from '../../../ui/format.ts';
import { LetterRail } from '../../../ui/lists/letter-rail.tsx';
import { VirtualGrid } from '../../../ui/lists/virtual-grid.tsx';
import { Page } from '../../../ui/page.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { IconForward, IconCredits } from '../../../ui/theme/icons.ts';
import long from '../long-rows.module.css';
import '../../../i18n/page-texts.ts';

const ROW_HEIGHT = 52;
/** Number of empty rows until the total is known. */
const PLACEHOLDERS = 30;
const TYPING_PAUSE_MS = 150;
const EVERY_ROLE = 'all';

/** Composers, producers and all other people that the tags credit, by role and name. */
export function PeoplePage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/app/library/people' });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const roles = useQuery(rolesQuery());
  const role = roles.data?.find((candidate) => candidate === search.role);
  const query = (page: PageAt) =>
    peoplePage({ ...(role && { role }), ...(search.q !== undefined && { q: search.q }) }, page);
  const list = usePagedList(query);
  const jump = useJump({
    count: list.total ?? 0,
    nameAt: async (row) =>
      (list.item(row) ?? (await queries.fetchQuery(query({ limit: 1, offset: row }))).items[0])?.sort_key,
    descending: false,
  });
  const onSearch = (next: { role?: string | undefined; q?: string | undefined }) =>
    void navigate({
      to: '/people',
      search: { ...(next.role && { role: next.role }), ...(next.q && { q: next.q }) },
      replace: true,
    });
  const isEmpty = list.total === 0 && search.q === undefined;

  function body() {
    if (list.error && list.total === undefined)
      return <ErrorState detail={detailOf(list.error)} onRetry={list.retry} />;
    if (isEmpty)
      return (
        <EmptyState icon={IconCredits} title={t('credits.none')}>
          {t('credits.noneHelp')}
        </EmptyState>
      );
    if (list.total === 0)
      return (
        <EmptyState
          icon={IconCredits}
          title={t('credits.noMatch')}
          actions={<Button onClick={() => onSearch({})}>{t('list.clearFilters')}</Button>}
        />
      );
    return (
      <>
        {jump.letters && <LetterRail {...jump.letters} />}
        <VirtualGrid
          label={t('credits.title')}
          goTo={jump.goTo}
          onCellKey={jump.onType}
          count={list.total ?? PLACEHOLDERS}
          cellWidth={4_000}
          cellHeight={() => ROW_HEIGHT}
          onRange={list.show}
          isLoaded={(index) => list.item(index) !== undefined}
          renderCell={(index, tabIndex) => <PersonRow person={list.item(index)} role={role} tabIndex={tabIndex} />}
        />
      </>
    );
  }

  return (
    <Page
      title={t('credits.title')}
      count={list.total === undefined || isEmpty ? undefined : formatNumber(list.total)}
      tools={
        !isEmpty && (
          <>
            <NameFilter q={search.q ?? ''} onChange={(q) => onSearch({ ...search, q })} />
            <ChoiceMenu<string>
              label={t('credits.roles')}
              value={role ?? EVERY_ROLE}
              options={[
                { value: EVERY_ROLE, label: t('credits.everyRole') },
                ...(roles.data ?? []).map((value) => ({ value, label: t(`credits.role.${value}`) })),
              ]}
              onChange={(value) => onSearch({ ...search, role: value === EVERY_ROLE ? undefined : value })}
            />
          </>
        )
      }
    >
      {body()}
    </Page>
  );
}

interface PersonRowProps {
  person: ListedPersonOut | undefined;
  /** The role that the list is of; the row links to the tracks in this role. */
  role: CreditRole | undefined;
  tabIndex: 0 | -1;
}

function PersonRow({ person, role, tabIndex }: PersonRowProps) {
  const { t } = useTranslation();
  if (!person) return <div className={long.row} />;
  return (
    <div className={long.row}>
      <Link
        to="/people/$personId"
        params={{ personId: person.id }}
        search={role ? { role } : {}}
        className={long.line}
        tabIndex={tabIndex}
        data-stop
      >
        <span className={long.name}>{person.name}</span>
        <span className={long.figure}>{t('track.count', { count: person.track_count })}</span>
      </Link>
      <IconForward size={16} aria-hidden />
    </div>
  );
}

function NameFilter({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState(q);
  const [settledText] = useDebouncedValue(text.trim(), TYPING_PAUSE_MS);
  useEffect(() => setText((now) => (now.trim() === q ? now : q)), [q]);
  useEffect(() => {
    if (settledText !== q) onChange(settledText);
  }, [settledText]);
  return (
    <input
      type="search"
      className={pill.text}
      aria-label={t('credits.filter')}
      placeholder={t('credits.filter')}
      value={text}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
