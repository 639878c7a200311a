// Users for tests that do not sign in.
import type { UserId } from '../../server/db/ids.ts';
import { rightsFrom } from '../../server/db/rights.ts';
import type { Principal } from '../../server/http/route.ts';

/** A user with every right. */
export const principal = (id: number, username: string, isSuperuser = false): Principal => ({
  id: id as UserId,
  username,
  isSuperuser,
  rights: rightsFrom(() => true),
  maxBitrateKbps: null,
});
