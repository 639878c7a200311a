import type { Secrets } from '../config/secrets.ts';
import type { Base, Module } from '../module.ts';
import { authRoutes } from './routes.ts';
import { createAuthService } from './service.ts';

export async function authModule({ db, log, now, paths, settings, version, secrets }: Base & { secrets: Secrets }) {
  const auth = createAuthService({ db, log, now, settings, secrets, resources: paths.resources });
  await auth.ensureAdmin();
  return { offers: auth, routes: authRoutes(auth, { version }) } satisfies Module;
}
