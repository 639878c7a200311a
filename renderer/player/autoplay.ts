// Whether the browser lets this page make a sound. Most browsers do so after the first click, tap or key.
const PATIENCE_MS = 1_000;

export async function maySound(): Promise<boolean> {
  const context = new AudioContext();
  await Promise.race([
    context.resume().catch(() => undefined),
    new Promise((resolve) => {
      setTimeout(resolve, PATIENCE_MS);
    }),
  ]);
  const isAllowed = context.state === 'running';
  void context.close();
  return isAllowed;
}
