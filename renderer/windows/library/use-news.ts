import { useMissingCount } from '../../api/missing.ts';
import { useSession } from '../../api/session.ts';
import type { PLACES } from './navigation.ts';
import { useOpenJobs } from './use-open-jobs.ts';

/** What stands beside the places one can go to, and which of them there are: missing tracks only while there are any, jobs for the owner. */
export function useNews() {
  const openJobs = useOpenJobs();
  const missing = useMissingCount();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const isShown = ({ name }: Pick<(typeof PLACES)[number], 'name'>): boolean => (name === 'missing' ? missing > 0 : name !== 'activity' || isOwner);
  return { openJobs, missing, isShown };
}
