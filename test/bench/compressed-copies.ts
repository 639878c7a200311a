// Copies 20,000 songs by pages of search3, with and without gzip, in turn, and counts the bytes of the bodies. The
// client also unpacks and parses them.
import { Agent, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { inTurn, measure, type Measure } from './measure.ts';

const PAGE_SIZE = 500;
const PAGE_COUNT = 40;
const ROUND_COUNT = 7;
const MAX_SIZE_RATIO = 0.08;
const MAX_TIME_RATIO = 1.1;

/** `credentials` are the parameters of a client that asks for JSON. */
export async function compressedCopies(url: string, credentials: string): Promise<Measure[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const bodyBytes = { identity: 0, gzip: 0 };

  async function copySongs(encoding: 'identity' | 'gzip'): Promise<number> {
    const startedAt = performance.now();
    const ids = new Set<string>();
    bodyBytes[encoding] = 0;
    for (let page = 0; page < PAGE_COUNT; page++) {
      const counts = `songCount=${PAGE_SIZE}&songOffset=${page * PAGE_SIZE}&albumCount=0&artistCount=0`;
      const body = await readBody(`${url}/rest/search3?query=&${counts}&${credentials}`, encoding);
      bodyBytes[encoding] += body.length;
      const text = (encoding === 'gzip' ? gunzipSync(body) : body).toString();
      type Answer = { 'subsonic-response': { searchResult3: { song: { id: string }[] } } };
      for (const { id } of (JSON.parse(text) as Answer)['subsonic-response'].searchResult3.song) ids.add(id);
    }
    if (ids.size !== PAGE_COUNT * PAGE_SIZE) throw new Error(`a copy with ${encoding} has ${ids.size} songs`);
    return performance.now() - startedAt;
  }

  const readBody = (address: string, encoding: string): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      request(address, { agent, headers: { 'Accept-Encoding': encoding } }, (res) => {
        const chunks: Buffer[] = [];
        res
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('error', reject)
          .on('end', () => resolve(Buffer.concat(chunks)));
      })
        .on('error', reject)
        .end();
    });

  for (const encoding of ['identity', 'gzip'] as const) await copySongs(encoding); // warms up
  const times = await inTurn(
    ROUND_COUNT,
    () => copySongs('identity'),
    () => copySongs('gzip'),
  );
  agent.destroy();
  const name = `first copy of ${(PAGE_COUNT * PAGE_SIZE).toLocaleString('en')} songs with gzip`;
  return [
    measure({
      suite: 'subsonic',
      name: `${name}, bytes`,
      unit: 'MB',
      product: bodyBytes.gzip / 1e6,
      bound: { name: 'without', value: bodyBytes.identity / 1e6 },
      goal: { op: '<=', value: MAX_SIZE_RATIO },
    }),
    measure({
      suite: 'subsonic',
      name,
      unit: 'ms',
      product: times.product,
      bound: { name: 'without', value: times.bound },
      goal: { op: '<=', value: MAX_TIME_RATIO },
    }),
  ];
}
