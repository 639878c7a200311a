import { useSession } from '../api/session.ts';

/** Returns whether the account may edit a track or an album: because it may edit everything, or uploaded all of it. */
export function useMayEdit(item: { uploaded_by: number | null }): boolean {
  const user = useSession()?.user;
  return user !== undefined && (user.can_edit || item.uploaded_by === user.id);
}
