import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isOpen, jobsQuery, useScanProgress } from '../../api/jobs.ts';
import { useSession } from '../../api/session.ts';

/** Tasks that give albums their covers; a task that waits for an online service does not count. */
const TASKS: readonly string[] = ['scan_local_folder', 'cover_task', 'cover_archive_task'];

/**
 * Marks the document while albums may still get their covers, so that a blank cover is displayed as loading
 * (ui/cover.module.css).
 */
export function useFindingCovers(): void {
  const isOwner = useSession()?.user.is_superuser ?? false;
  const { data } = useQuery({ ...jobsQuery(), enabled: isOwner });
  const isScanning = useScanProgress() !== null;
  const isFinding =
    isScanning ||
    (data?.items.some((job) => TASKS.includes(job.task) && isOpen(job) && job.status !== 'waiting') ?? false);
  useEffect(() => {
    document.documentElement.toggleAttribute('data-finding-covers', isFinding);
  }, [isFinding]);
}
