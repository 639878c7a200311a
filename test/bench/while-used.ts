// Measures how long a user waits while the server works.
import type { Product } from './product.ts';

interface UsedResult<T> {
  result: T;
  /** Latencies of likes in ms. */
  latencies: number[];
  /** The highest memory in MB. */
  rss: number;
}

/** Likes a track every 50 ms while the work runs. */
export async function whileUsed<T>(product: Product, work: () => Promise<T>): Promise<UsedResult<T>> {
  const latencies: number[] = [];
  let rss = 0;
  let isLiked = false;
  const timer = setInterval(() => {
    rss = Math.max(rss, product.rss());
    const startedAt = performance.now();
    const body = JSON.stringify({ item_type: 'track', item_id: 1, liked: (isLiked = !isLiked) });
    void fetch(`${product.url}/api/v1/likes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${product.token}`, 'Content-Type': 'application/json' },
      body,
    }).then(async (response) => {
      await response.text();
      if (response.ok) latencies.push(performance.now() - startedAt);
    });
  }, 50);
  const result = await work();
  clearInterval(timer);
  return { result, latencies, rss };
}

export const percentile = (values: readonly number[], p: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))] ?? Number.NaN;
