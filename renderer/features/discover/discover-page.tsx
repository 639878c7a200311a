// Searches an online source, saves a result as a placeholder, and downloads its audio.
import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconDiscover, IconSearch } from '../../ui/theme/icons.ts';
import { detailOf } from '../../api/problem.ts';
import { remoteSearchQuery, useHasCatalogue } from '../../api/remote.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../ui/controls/button.tsx';
import { openSettings } from '../../ui/open-window.ts';
import { Page } from '../../ui/page.tsx';
import { moveAmongRows } from '../../ui/lists/row-keys.ts';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { HitRow } from './hit-row.tsx';
import '../../i18n/page-texts.ts';
import styles from './discover.module.css';

const TYPING_PAUSE_MS = 350;

export function DiscoverPage() {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const { q = '' } = useSearch({ from: '/app/discover' });
  const navigate = useNavigate();
  const hasCatalogue = useHasCatalogue();
  const [typedText, setTyped] = useState(q);
  const [settledQuery] = useDebouncedValue(typedText.trim(), TYPING_PAUSE_MS);
  const search = useQuery({ ...remoteSearchQuery(q), enabled: hasCatalogue && q !== '' });
  useEffect(() => {
    if (settledQuery !== q)
      void navigate({ to: '/discover', search: settledQuery === '' ? {} : { q: settledQuery }, replace: true });
  }, [settledQuery, q, navigate]);

  function body() {
    if (!hasCatalogue)
      return (
        <EmptyState
          icon={IconDiscover}
          title={t('discover.offTitle')}
          actions={isOwner && <Button onClick={() => openSettings('remote')}>{t('discover.setUp')}</Button>}
        >
          {t(isOwner ? 'discover.offOwner' : 'discover.off')}
        </EmptyState>
      );
    if (q === '')
      return (
        <EmptyState icon={IconDiscover} title={t('discover.startTitle')}>
          {t('discover.start')}
        </EmptyState>
      );
    if (search.error && !search.data)
      return <ErrorState detail={detailOf(search.error)} onRetry={() => void search.refetch()} />;
    if (!search.data)
      return Array.from({ length: 8 }, (_, i) => (
        <div key={i} className={styles.held}>
          <Skeleton height="48px" />
        </div>
      ));
    return (
      <>
        {search.data.errors.map((sourceError) => (
          <p key={sourceError.source} role="alert" className={styles.error}>
            {sourceError.detail}
          </p>
        ))}
        {search.data.items.length === 0 && search.data.errors.length === 0 && (
          <EmptyState icon={IconSearch} title={t('search.nothing', { q })} />
        )}
        <ul
          className={styles.list}
          aria-label={t('search.results')}
          aria-busy={search.isPlaceholderData}
          onKeyDown={moveAmongRows}
        >
          {search.data.items.map((hit) => (
            <HitRow key={`${hit.source} ${hit.source_id}`} hit={hit} />
          ))}
        </ul>
      </>
    );
  }

  return (
    <Page title={t('place.discover')}>
      {hasCatalogue && (
        <TextInput
          className={styles.search}
          type="search"
          value={typedText}
          maxLength={200}
          leftSection={<IconSearch size={18} aria-hidden />}
          aria-label={t('discover.label')}
          placeholder={t('discover.label')}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          autoFocus
        />
      )}
      {body()}
    </Page>
  );
}
