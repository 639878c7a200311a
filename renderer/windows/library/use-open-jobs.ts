import { useQuery } from '@tanstack/react-query';
import { isOpen, jobsQuery } from '../../api/jobs.ts';
import { useSession } from '../../api/session.ts';

/** How much work is going on; only the owner may see jobs. */
export function useOpenJobs(): number {
  const isOwner = useSession()?.user.is_superuser ?? false;
  const { data } = useQuery({ ...jobsQuery(), enabled: isOwner });
  return data?.items.filter(isOpen).length ?? 0;
}
