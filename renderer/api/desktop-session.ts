// The desktop app's own window signs itself in: the shell hands it a ticket that is good once. Not after somebody
// signed out on purpose, until they sign in again; and not over and over when it does not help.
import type { TokenResponse } from '../../server/auth/wire.ts';
import { desktop } from '../desktop.ts';
import { request } from './client.ts';
import { isLeftOnPurpose, signInWith } from './session.ts';

const AGAIN_AFTER_MS = 60_000;

let attempt: Promise<boolean> | null = null;
let triedAt = -Infinity;

/** Whether there is a session now that was not there before. */
export function signInByItself(): Promise<boolean> {
  if (!desktop || isLeftOnPurpose()) return Promise.resolve(false);
  if (!attempt && performance.now() - triedAt < AGAIN_AFTER_MS) return Promise.resolve(false);
  triedAt = performance.now();
  attempt ??= trySignIn(desktop).finally(() => {
    attempt = null;
  });
  return attempt;
}

async function trySignIn(bridge: NonNullable<typeof desktop>): Promise<boolean> {
  try {
    const ticket = await bridge.signInTicket();
    if (ticket === null) return false;
    signInWith(await request<TokenResponse>('/auth/desktop', { method: 'POST', body: { ticket } }));
    return true;
  } catch {
    return false; // the sign-in page is there for that
  }
}
