import { useQuery } from '@tanstack/react-query';
import { isOpen, jobsQuery } from '../../api/jobs.ts';
import { useMissingCount } from '../../api/missing.ts';
import { useHasCatalogue } from '../../api/remote.ts';
import { useAlbumChangeCount, useDuplicateCount, useRegroupingCount, useReviewCount } from '../../api/review.ts';
import { useSession } from '../../api/session.ts';
import { trashTotalQuery } from '../../api/trash.ts';
import type { NAV_ITEMS } from './nav-items.ts';

type PlaceName = (typeof NAV_ITEMS)[number]['name'];

/**
 * Returns which items of the navigation are visible, and their counts. Pages with questions or undoable changes are
 * visible only if there are any, jobs only for the owner.
 */
export function useNavBadges() {
  const user = useSession()?.user;
  const isOwner = user?.is_superuser ?? false;
  const { data } = useQuery({ ...jobsQuery(), enabled: isOwner });
  const openJobs = data?.items.filter((job) => isOpen(job) && job.status !== 'waiting').length ?? 0;
  const counts: Partial<Record<PlaceName, number>> = {
    missing: useMissingCount(),
    review: useReviewCount(),
    duplicates: useDuplicateCount(),
    albumChanges: useAlbumChangeCount(),
  };
  const hasCatalogue = useHasCatalogue();
  const hasRegroupings = useRegroupingCount() > 0;
  const hasTrash = (useQuery(trashTotalQuery()).data?.total ?? 0) > 0;
  /** Returns the number of tracks or albums that need a decision. */
  const countOf = (name: PlaceName): number => counts[name] ?? 0;
  const isShown = ({ name }: { name: PlaceName }): boolean => {
    if (name === 'albumChanges' && hasRegroupings) return true;
    if (name in counts) return countOf(name) > 0;
    if (name === 'trash') return hasTrash;
    if (name === 'discover') return hasCatalogue && (user?.can_upload ?? false);
    return name !== 'activity' || isOwner;
  };
  return { openJobs, countOf, isShown };
}
