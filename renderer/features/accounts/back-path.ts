// Where somebody is led after signing in. Everybody who follows `back` asks here, because the router hands a parameter
// on as it came when a rule takes it out.

/** A path of this window; the start page for anything that leads elsewhere, or back to signing in. */
export function backPath(back: unknown, origin = globalThis.location.origin): string {
  if (typeof back !== 'string' || !back.startsWith('/') || !URL.canParse(back, origin)) return '/';
  const target = new URL(back, origin);
  if (target.origin !== origin || target.pathname.startsWith('//') || target.pathname === '/sign-in') return '/';
  return target.pathname + target.search + target.hash;
}
