// Imports plays: choose an export, follow the progress, see plays that match no track yet.
import { Modal } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconImport } from '../../ui/theme/icons.ts';
import type { HistoryImportOut } from '../../api/routes.ts';
import { HISTORY, importsQuery, useImportHistory } from '../../api/history.ts';
import { detailOf } from '../../api/problem.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatAgo, formatBytes, formatNumber } from '../../ui/format.ts';
import { ProgressBar } from '../../ui/controls/progress-bar.tsx';
import '../../i18n/page-texts.ts';
import styles from './history.module.css';

export function ImportDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size={600}
      title={t('history.importTitle')}
      closeButtonProps={{ 'aria-label': t('history.close') }}
    >
      <Imports />
    </Modal>
  );
}

function Imports() {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const queries = useQueryClient();
  const send = useImportHistory();
  const imports = useQuery({ ...importsQuery(), staleTime: 0 });
  const addedCount = imports.data?.items.reduce((sum, historyImport) => sum + historyImport.added, 0);
  useEffect(() => void queries.invalidateQueries({ queryKey: [HISTORY] }), [queries, addedCount]);

  return (
    <div className={styles.imports}>
      <p className={styles.help}>{t('history.importHelp')}</p>
      <input
        ref={input}
        type="file"
        accept=".json,.jsonl,.csv,.tsv,.txt,.zip"
        hidden
        aria-hidden
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) send.mutate(file);
          currentTarget.value = '';
        }}
      />
      <Button variant="primary" icon={IconImport} disabled={send.isPending} onClick={() => input.current?.click()}>
        {t(send.isPending ? 'history.sending' : 'history.choose')}
      </Button>
      {send.error && (
        <p role="alert" className={styles.error}>
          {detailOf(send.error)}
        </p>
      )}
      {imports.error && (
        <p role="alert" className={styles.error}>
          {detailOf(imports.error)}
        </p>
      )}
      <ul className={styles.importList} aria-live="polite">
        {imports.data?.items.map((historyImport) => (
          <ImportItem key={historyImport.id} item={historyImport} />
        ))}
      </ul>
    </div>
  );
}

function ImportItem({ item }: { item: HistoryImportOut }) {
  const { t } = useTranslation();
  const isOpen = item.status === 'queued' || item.status === 'running';
  const facts = [
    t('history.added', { count: item.added, number: formatNumber(item.added) }),
    item.known > 0 && t('history.known', { count: item.known, number: formatNumber(item.known) }),
    item.unreadable > 0 && t('history.unreadable', { count: item.unreadable, number: formatNumber(item.unreadable) }),
  ];
  return (
    <li className={styles.import}>
      <p>
        <strong>{item.filename}</strong>{' '}
        <span className={styles.note}>
          {isOpen
            ? t('history.reading', { done: formatBytes(item.bytes_done), total: formatBytes(item.bytes_total) })
            : formatAgo(item.finished_at ?? item.created_at)}
        </span>
      </p>
      {isOpen && <ProgressBar done={item.bytes_done} total={item.bytes_total || null} label={item.filename} />}
      {item.error ? (
        <p className={styles.error}>{item.error}</p>
      ) : (
        <p className={styles.note}>{facts.filter(Boolean).join(' · ')}</p>
      )}
      {item.unmatched > 0 && (
        <details className={styles.unmatched}>
          <summary>{t('history.unmatched', { count: item.unmatched, number: formatNumber(item.unmatched) })}</summary>
          <p className={styles.note}>{t('history.unmatchedHelp')}</p>
          <ul>
            {item.unmatched_songs.map((song) => (
              <li key={`${song.title} ${song.artist_name}`}>
                <span>{song.title}</span>
                <span>{song.artist_name}</span>
                <span>{formatNumber(song.plays)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
