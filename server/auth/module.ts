import type { Secrets } from '../config/secrets.ts';
import type { Base, Module } from '../module.ts';
import { authRoutes } from './routes.ts';
import { createAuthService } from './service.ts';

type AuthModuleDeps = Base & { secrets: Secrets };

export async function authModule({ db, log, now, nowForAges, paths, settings, version, secrets }: AuthModuleDeps) {
  const auth = createAuthService({ db, log, now, nowForAges, settings, secrets, resources: paths.resources });
  await auth.ensureAdmin();
  return { offers: auth, routes: authRoutes(auth, { version }) } satisfies Module;
}
