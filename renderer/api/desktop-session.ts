// Signs the desktop app's own window in with a one-time ticket from the main process. A user who signed out is not
// signed in automatically again, and a failed attempt is not repeated for a minute.
import { desktop } from '../desktop.ts';
import { request } from './client.ts';
import { isLeftOnPurpose } from './session.ts';
import { signInWith } from './url-tokens.ts';

const RETRY_AFTER_MS = 60_000;

let attempt: Promise<boolean> | null = null;
let triedAt = -Infinity;

/** Resolves to true if this call created a session. */
export function signInByItself(): Promise<boolean> {
  if (!desktop || isLeftOnPurpose()) return Promise.resolve(false);
  if (!attempt && performance.now() - triedAt < RETRY_AFTER_MS) return Promise.resolve(false);
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
    await signInWith(await request('POST /auth/desktop', { body: { ticket } }));
    return true;
  } catch {
    return false; // the window displays the sign-in page instead
  }
}
