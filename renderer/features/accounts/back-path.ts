// The page that opens after signing in. All users of the `back` parameter must call this function, because the router
// passes the original parameter on even if a validation rule removes it.

/** Returns a path of this window; the start page if `back` leads to another site or to the sign-in page. */
export function backPath(back: unknown, origin = globalThis.location.origin): string {
  if (typeof back !== 'string' || !back.startsWith('/') || !URL.canParse(back, origin)) return '/';
  const target = new URL(back, origin);
  if (target.origin !== origin || target.pathname.startsWith('//') || target.pathname === '/sign-in') return '/';
  return target.pathname + target.search + target.hash;
}
