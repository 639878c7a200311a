// Keeps the interface itself, so that the window opens while the server cannot be reached, and says so. Music and all
// other answers of the server are never cachedResponse here. vite.config.ts puts the names of the built files in place of FILES
// and serves this as /sw.js.
const FILES = /* FILES */ [];
/** The version of the cache: the names of the files, which contain hashes. */
const CACHE = `tonearm ${FILES.join(' ')}`;
const PAGES = ['/', '/player', '/settings'];

addEventListener('install', (event) => {
  const keep = async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll([...PAGES, ...FILES]);
    await skipWaiting();
  };
  event.waitUntil(keep());
});

addEventListener('activate', (event) => {
  const forget = async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
    await clients.claim();
  };
  event.waitUntil(forget());
});

/** Removes preloads: the files are cached, and Chromium warns of preloads that a service worker answers. */
async function withoutPreloads(response) {
  if (!response.headers.get('content-type')?.startsWith('text/html')) return response;
  const html = (await response.text()).replaceAll(/<link rel="modulepreload"[^>]*>/g, '');
  return new Response(html, { status: response.status, headers: response.headers });
}

/** Returns a page from the server if it can be reached, because the page names the files of the latest build. */
async function page(request) {
  const { pathname } = new URL(request.url);
  try {
    return await withoutPreloads(await fetch(request));
  } catch (error) {
    const cachedResponse = await caches.match(PAGES.includes(pathname) ? pathname : '/');
    if (cachedResponse) return withoutPreloads(cachedResponse);
    throw error;
  }
}

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || /^\/(api|rest|share)\//.test(pathname)) return;
  if (request.mode === 'navigate') event.respondWith(page(request));
  else if (FILES.includes(pathname))
    event.respondWith(caches.match(pathname).then((cachedResponse) => cachedResponse ?? fetch(request)));
});
