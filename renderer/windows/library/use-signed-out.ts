import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { getSession, onSessionChange } from '../../api/session.ts';

/** When the session ends (signed out, or a token that is no longer good) the sign-in page comes, with the way back. */
export function useSignedOut(): void {
  const router = useRouter();
  useEffect(() => onSessionChange(() => {
    if (!getSession()) void router.navigate({ to: '/sign-in', search: { back: router.state.location.href } });
  }), [router]);
}
