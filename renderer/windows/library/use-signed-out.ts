import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { getSession, onSessionChange } from '../../api/session.ts';
import { takeAllBack } from '../../ui/undoable.ts';

/**
 * When the session ends (signed out, or a token that is no longer good) the sign-in page comes, with the way back. What
 * was still to be done is not.
 */
export function useSignedOut(): void {
  const router = useRouter();
  useEffect(
    () =>
      onSessionChange(() => {
        if (getSession()) return;
        takeAllBack();
        void router.navigate({ to: '/sign-in', search: { back: router.state.location.href } });
      }),
    [router],
  );
}
