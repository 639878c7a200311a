// Exports the library into a folder of the server in open formats, and replaces the library by such an export.
import { Modal, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ExportResult, RestoreResult } from '../../../../server/backup/wire.ts';
import type { JobOut } from '../../../api/routes.ts';
import { BACKUPS, useExport, useImport } from '../../../api/backups.ts';
import { isOpen, jobsQuery, useCancelJob } from '../../../api/jobs.ts';
import { detailOf } from '../../../api/problem.ts';
import { FolderPicker } from '../../../music/folder-picker.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { FormButtons } from '../../../ui/controls/form-buttons.tsx';
import { formatBytes, formatNumber } from '../../../ui/format.ts';
import { IconExport, IconImport } from '../../../ui/theme/icons.ts';
import { ProgressBar } from '../../../ui/controls/progress-bar.tsx';
import { SettingGroup } from '../setting-row.tsx';
import styles from '../settings.module.css';

const LOOK_EVERY_MS = 2_000;
const TASKS = { export: 'export_task', import: 'restore_task' } as const;
type TransferKind = keyof typeof TASKS;

export function Transfer() {
  const { t } = useTranslation();
  const [openKind, setWay] = useState<TransferKind | null>(null);
  const jobs = useQuery({
    ...jobsQuery(),
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? LOOK_EVERY_MS : false),
  });
  const queries = useQueryClient();
  const newest = jobs.data?.items.find(({ task }) => task === TASKS.export || task === TASKS.import);
  // an import prepares a restore, which may be ready
  useEffect(() => void queries.invalidateQueries({ queryKey: BACKUPS }), [queries, newest?.status]);
  return (
    <SettingGroup name="transfer" title={t('settings.transfer.title')}>
      <div className={styles.padded}>
        <p className={styles.help}>{t('settings.transfer.about')}</p>
        {newest && <State job={newest} />}
        <div className={styles.buttons}>
          <Button icon={IconExport} onClick={() => setWay('export')}>
            {t('settings.transfer.export')}
          </Button>
          <Button icon={IconImport} onClick={() => setWay('import')}>
            {t('settings.transfer.import')}
          </Button>
        </div>
      </div>
      {openKind && <TransferDialog key={openKind} way={openKind} onClose={() => setWay(null)} />}
    </SettingGroup>
  );
}

function TransferDialog({ way, onClose }: { way: TransferKind; onClose: () => void }) {
  const { t } = useTranslation();
  const [folder, setFolder] = useState<string>();
  const [exporting, importing] = [useExport(), useImport()];
  const start = way === 'export' ? exporting : importing;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(`settings.transfer.${way}Title`)}
      closeButtonProps={{ 'aria-label': t('form.cancel') }}
    >
      <form
        className={styles.dialog}
        onSubmit={(event) => {
          event.preventDefault();
          if (folder) start.mutate(folder, { onSuccess: onClose });
        }}
      >
        <p>{t(`settings.transfer.${way}Text`)}</p>
        <TextInput
          label={t(`settings.transfer.${way}Folder`)}
          value={folder ?? ''}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setFolder(event.currentTarget.value)}
        />
        <FolderPicker path={folder} onChange={setFolder} isForMusic={false} />
        {way === 'import' && <p className={styles.help}>{t('settings.transfer.importHelp')}</p>}
        {start.error && (
          <p role="alert" className={styles.fault}>
            {detailOf(start.error)}
          </p>
        )}
        <FormButtons
          label={t(`settings.transfer.${way}Now`)}
          disabled={start.isPending || !folder}
          onCancel={onClose}
        />
      </form>
    </Modal>
  );
}

/** The running export or import, or the result of the last one. */
function State({ job }: { job: JobOut }) {
  const { t } = useTranslation();
  const cancel = useCancelJob();
  if (isOpen(job)) {
    const { done = 0, total = null, message = null } = job.progress ?? {};
    const label = t(`settings.transfer.${job.task === TASKS.export ? 'exporting' : 'importing'}`);
    return (
      <>
        <p role="status">
          {label} {message ?? (total !== null && `${formatNumber(done)} / ${formatNumber(total)}`)}
        </p>
        <ProgressBar label={label} done={done} total={total} />
        <p>
          <button
            type="button"
            className={styles.link}
            disabled={cancel.isPending}
            onClick={() => cancel.mutate(job.id)}
          >
            {t('form.cancel')}
          </button>
        </p>
      </>
    );
  }
  if (job.error)
    return (
      <p role="alert" className={styles.fault}>
        {job.error}
      </p>
    );
  const { result } = job;
  if (job.status !== 'succeeded' || !result) return null;
  if (job.task === TASKS.import) return <p role="status">{t('settings.transfer.read', factsOf(result))}</p>;
  const { folder, bytes_written, problems } = result as ExportResult;
  return (
    <>
      <p role="status">
        {t('settings.transfer.written', { ...factsOf(result), folder, size: formatBytes(bytes_written) })}
      </p>
      {problems.length > 0 && (
        <details className={styles.fault}>
          <summary>{t('settings.transfer.problems', { count: problems.length })}</summary>
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const factsOf = (result: unknown): { count: number; tracks: string } => {
  const { tracks } = result as ExportResult | RestoreResult;
  return { count: tracks, tracks: formatNumber(tracks) };
};
