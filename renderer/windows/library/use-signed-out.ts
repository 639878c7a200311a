import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { getSession, onSessionChange } from '../../api/session.ts';
import { takeAllBack } from '../../ui/undoable.ts';

/**
 * When the session ends (sign-out, or an expired token), shows the sign-in page, which leads back here. Pending actions
 * are cancelled.
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
