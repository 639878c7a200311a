// Counts of what Library care has for a person to decide.
import { useQuery } from '@tanstack/react-query';
import { isOpen, jobsQuery } from '../../api/jobs.ts';
import { useMissingCount } from '../../api/missing.ts';
import { useAlbumChangeCount, useDuplicateCount, useReviewCount } from '../../api/review.ts';
import { useSession } from '../../api/session.ts';

/** Returns the number of questions by the address of their page, all of them, and the number of running jobs. */
export function useCareCounts() {
  const isOwner = useSession()?.user.is_superuser ?? false;
  const jobs = useQuery({ ...jobsQuery(), enabled: isOwner });
  const counts: Record<string, number> = {
    '/review': useReviewCount(),
    '/duplicates': useDuplicateCount(),
    '/album-changes': useAlbumChangeCount(),
    '/missing': useMissingCount(),
  };
  return {
    counts,
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    runningJobs: jobs.data?.items.filter((job) => isOpen(job) && job.status !== 'waiting').length ?? 0,
  };
}
