// Tells the players of an account apart: two phones with one app and one password are two players.
import type { Principal } from '../http/route.ts';

export interface Player {
  /** The name that the client gives itself. */
  client: string | null;
  /** The session or app password, and the program. */
  app: string;
  /** The client, the app and its address. */
  key: string;
}

interface PlayerRequest {
  user: Pick<Principal, 'sessionId' | 'appPasswordId'>;
  req: { ip?: string | undefined; headers: { 'user-agent'?: string | undefined } };
  client: string | null;
}

/** Returns the player that sent a request. A window of Tonearm stays the same player at another address. */
export function playerOf({ user, req, client }: PlayerRequest): Player {
  const app = JSON.stringify([client, user.sessionId, user.appPasswordId, req.headers['user-agent']]);
  return { client, app, key: user.sessionId === undefined ? `${app} ${req.ip ?? ''}` : app };
}
