// The window opens without the server: see renderer/service-worker.js. Browsers allow it over HTTPS and on the same
// machine.

export async function keepForOffline(): Promise<void> {
  if (!import.meta.env.PROD || !(navigator as Partial<Navigator>).serviceWorker) return;
  // a private window, or one that stores nothing: the interface then needs the server, as before
  await navigator.serviceWorker.register('/sw.js').catch(() => undefined);
}
