// The Cover Art Archive as a local server: a 307 redirect to its storage, a 302 redirect to a machine there, then the
// image. Tests set the behaviour of each release group.
import { createServer, type ServerResponse } from 'node:http';
import { deflateSync } from 'node:zlib';
import { ascii, u32 } from '../support/audio-bytes.ts';
import { serve, stop } from './serve.ts';

/**
 * Behaviour for a release group. `only500` means that only the smaller size exists, as for old images. With `behind`
 * the storage sends the status after the redirect; `times` limits how often the status is sent before the image.
 */
export type ArchiveBehaviour =
  /** `otherPictures` lists the types of further pictures; all have the same bytes. */
  | { picture: Buffer; only500?: boolean; otherPictures?: string[] }
  | { status: number; retryAfter?: number; behind?: boolean; times?: number; after?: Buffer }
  | 'endless'
  | 'huge'
  | 'silent'
  | 'dripping'
  | 'cut'
  | 'loop'
  | { redirect: string };

export interface FakeCoverArchive {
  url: string;
  /** Behaviour by release group; the archive knows no other groups. */
  groups: Map<string, ArchiveBehaviour>;
  /** Requested paths below the base, without those of its storage. */
  requests: { path: string; userAgent: string; timeMs: number }[];
  /** Called when a response stalls: none, or a few bytes at a time. */
  onSilence: () => void;
  /** Stops listening. */
  close(): Promise<void>;
}

const MBID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function startFakeCoverArchive(port = 0): Promise<FakeCoverArchive> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const [, kind, mbid = '', size = ''] = path.split('/');
    const group = fake.groups.get(mbid);
    if (kind === 'release-group' || kind === 'release') {
      fake.requests.push({ path, userAgent: request.headers['user-agent'] ?? '', timeMs: performance.now() });
      return front(response, mbid, size, group);
    }
    if (kind === 'download') return redirect(response, 302, `/machine/${mbid}/${size}`);
    storage(response, group);
  });

  function front(response: ServerResponse, mbid: string, size: string, group: ArchiveBehaviour | undefined): void {
    if (!MBID_PATTERN.test(mbid)) return text(response, 400, 'invalid MBID specified');
    if (group === undefined) return text(response, 404, `No cover art found for release group ${mbid}`);
    if (group === 'silent') return fake.onSilence();
    if (group === 'cut') return void response.socket?.destroy();
    if (group === 'loop') return redirect(response, 307, `/release-group/${mbid}/${size}`);
    if (typeof group === 'object' && 'redirect' in group) return redirect(response, 307, group.redirect);
    if (typeof group === 'object' && 'status' in group && !group.behind)
      return text(
        response,
        group.status,
        'no',
        group.retryAfter === undefined ? {} : { 'Retry-After': String(group.retryAfter) },
      );
    if (size === '') return index(response, mbid, group);
    if (typeof group === 'object' && 'picture' in group && group.only500 && !size.endsWith('-500'))
      return text(response, 404, 'no such size');
    redirect(response, 307, `${fake.url}/download/${mbid}/picture_thumb500.jpg`);
  }

  /** Sends the list of a release group's images; its release has the same mbid here. */
  function index(response: ServerResponse, mbid: string, group: ArchiveBehaviour): void {
    const types = typeof group === 'object' && 'picture' in group ? [...(group.otherPictures ?? []), 'Front'] : [];
    const images = types.map((type, n) => ({ id: n + 1, types: [type], front: type === 'Front', comment: '' }));
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ release: `https://musicbrainz.org/release/${mbid}`, images }));
  }

  function storage(response: ServerResponse, group: ArchiveBehaviour | undefined): void {
    if (typeof group === 'object' && 'picture' in group)
      return void response
        .writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': group.picture.length })
        .end(group.picture);
    if (typeof group === 'object' && 'status' in group) {
      const isOver = group.times !== undefined && --group.times < 0;
      return isOver
        ? storage(response, { picture: group.after ?? Buffer.alloc(0) })
        : text(response, group.status, '<html>no</html>');
    }
    if (group === 'huge') return void response.writeHead(200, { 'Content-Length': 200e6 }).write('\xff\xd8\xff');
    if (group === 'endless') return pour(response);
    if (group === 'dripping') {
      let drops = 0;
      const timer = setInterval(() => response.write('x', () => ++drops === 3 && fake.onSilence()), 20);
      return void response.on('close', () => clearInterval(timer));
    }
    text(response, 404, 'no such item');
  }

  const fake: FakeCoverArchive = {
    url: '',
    groups: new Map(),
    requests: [],
    onSilence: () => undefined,
    close: () => stop(server),
  };
  fake.url = await serve(server, port);
  return fake;
}

const redirect = (response: ServerResponse, status: number, to: string): void =>
  void response.writeHead(status, { Location: to }).end(`See: ${to}`);
const text = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, { 'Content-Type': 'text/plain', ...headers }).end(body);

function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write(Buffer.alloc(65_536, 0xff)));
  if (!response.destroyed) response.once('drain', () => pour(response));
}

/** Returns a PNG of 30,000 by 30,000 pixels in a few kilobytes. */
export function pngBomb(): Buffer {
  const chunk = (name: string, body: Buffer): Buffer => Buffer.concat([u32(body.length), ascii(name), body, u32(0)]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', Buffer.concat([u32(30_000), u32(30_000), Buffer.from([8, 2, 0, 0, 0])])),
    chunk('IDAT', deflateSync(Buffer.alloc(1_000_000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
