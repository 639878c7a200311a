// The Internet Archive as a local server: search, metadata of items, downloads behind a redirect, with ranges. Tests
// can make it busy, slow or faulty.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { serve, stop } from './serve.ts';

interface FakeFile {
  name: string;
  bytes: Buffer;
  fields?: Record<string, string>;
}
export interface FakeItem {
  identifier: string;
  fields?: Record<string, unknown>;
  files?: FakeFile[];
  isDark?: boolean;
}

/** The fault of a download. `cutAfterBytes` sends this number of bytes and leaves the connection to the test. */
export type DownloadFault =
  | { status: number; retryAfter?: number }
  | { cutAfterBytes: number }
  | { stall: number }
  | { bytes: Buffer; contentType?: string }
  | { redirect: string };

export interface FakeArchive {
  url: string;
  items: Map<string, FakeItem>;
  /** Responses to the next searches and metadata requests in place of real ones. `hang` never responds. */
  next: ({ status: number; body?: string } | 'hang')[];
  faults: DownloadFault[];
  /** Requested paths with their queries. */
  requests: string[];
  /** Requested ranges of files; null is the whole file. */
  ranges: (string | null)[];
  /** Open connections that the test can break. */
  lines: ServerResponse[];
  /** Search terms. */
  queries: string[];
  /** Called when the fake leaves a request without a response. */
  onSilence: () => void;
  close(): Promise<void>;
}

export async function startFakeArchive(port = 0): Promise<FakeArchive> {
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://fake');
    fake.requests.push(req.url ?? '');
    const [, kind = '', identifier = '', ...pathRest] = url.pathname.split('/').map(decodeURIComponent);
    if (kind === 'storage') return storage(req, res, identifier, pathRest.join('/'));
    if (kind === 'download') return download(res, url.pathname);
    if (kind === 'services') return void res.writeHead(200, { 'Content-Type': 'image/png' }).end(PIXEL_PNG);
    const plannedAnswer = fake.next.shift();
    if (plannedAnswer === 'hang') return fake.onSilence();
    if (plannedAnswer)
      return void res
        .writeHead(plannedAnswer.status, { 'Content-Type': 'application/json' })
        .end(plannedAnswer.body ?? '{}');
    if (kind === 'advancedsearch.php') return search(res, url.searchParams);
    if (kind === 'metadata') return json(res, metadataOf(fake.items.get(identifier)));
    res.writeHead(404).end();
  });

  function search(res: ServerResponse, params: URLSearchParams): void {
    const q = params.get('q') ?? '';
    fake.queries.push(q);
    const words = (/title:\((.*)\) OR creator/.exec(q)?.[1] ?? '')
      .replaceAll('\\', '')
      .toLowerCase()
      .split(' ')
      .filter(Boolean);
    const foundItems = [...fake.items.values()].filter((item) =>
      words.every((word) =>
        JSON.stringify([item.fields, item.files?.map(({ fields }) => fields)])
          .toLowerCase()
          .includes(word),
      ),
    );
    json(res, {
      responseHeader: { status: 0, QTime: 1, params: {} },
      response: {
        numFound: foundItems.length,
        start: 0,
        docs: foundItems.slice(0, Number(params.get('rows'))).map(({ identifier }) => ({ identifier })),
      },
    });
  }

  function download(res: ServerResponse, path: string): void {
    const [fault] = fake.faults;
    if (fault && 'redirect' in fault)
      return void (fake.faults.shift(), res.writeHead(302, { Location: fault.redirect }).end());
    res.writeHead(302, { Location: `${fake.url}${path.replace('/download/', '/storage/')}` }).end();
  }

  function storage(req: IncomingMessage, res: ServerResponse, identifier: string, name: string): void {
    fake.ranges.push(req.headers.range ?? null);
    const file = fake.items.get(identifier)?.files?.find((candidate) => candidate.name === name);
    const fault = fake.faults.shift();
    if (fault && 'status' in fault)
      return void res
        .writeHead(fault.status, fault.retryAfter === undefined ? {} : { 'Retry-After': fault.retryAfter })
        .end();
    if (!file) return void res.writeHead(404).end();
    if (fault && 'bytes' in fault)
      return void res
        .writeHead(200, { 'Content-Type': fault.contentType ?? 'audio/mpeg', 'Content-Length': fault.bytes.length })
        .end(fault.bytes);
    const etag = `"${md5(file.bytes)}"`;
    const start =
      req.headers['if-range'] === etag ? Number(/^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1] ?? 0) : 0;
    const headers = {
      'Content-Type': 'audio/mpeg',
      ETag: etag,
      'Accept-Ranges': 'bytes',
      'Content-Length': file.bytes.length - start,
    };
    if (start > 0)
      res.writeHead(206, {
        ...headers,
        'Content-Range': `bytes ${start}-${file.bytes.length - 1}/${file.bytes.length}`,
      });
    else res.writeHead(200, headers);
    if (fault && 'cutAfterBytes' in fault)
      return void (fake.lines.push(res), res.write(file.bytes.subarray(start, start + fault.cutAfterBytes)));
    if (fault && 'stall' in fault) return void res.write(file.bytes.subarray(start, start + fault.stall));
    res.end(file.bytes.subarray(start));
  }

  const fake: FakeArchive = {
    url: '',
    items: new Map(),
    next: [],
    faults: [],
    requests: [],
    ranges: [],
    lines: [],
    queries: [],
    onSilence: () => undefined,
    close: () => stop(server),
  };
  fake.url = await serve(server, port);
  return fake;
}

/** A one-pixel image. */
const PIXEL_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
const json = (res: ServerResponse, body: unknown): void =>
  void res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

/** Returns the metadata of an item; an empty object for an unknown one. */
function metadataOf(item: FakeItem | undefined): unknown {
  if (!item) return {};
  if (item.isDark) return { is_dark: true, metadata: { identifier: item.identifier } };
  return {
    server: 'ia000000.us.archive.org',
    dir: `/1/items/${item.identifier}`,
    metadata: { identifier: item.identifier, mediatype: 'audio', ...item.fields },
    files: [
      { name: '__ia_thumb.jpg', source: 'original', format: 'Item Tile', size: '9000' },
      ...(item.files ?? []).map(({ name, bytes, fields }) => ({
        name,
        source: 'original',
        format: 'VBR MP3',
        size: String(bytes.length),
        md5: md5(bytes),
        ...fields,
      })),
    ],
  };
}
