// A server of radio stations: streams with ICY titles, correct and faulty ones, for as long as a client listens.
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface RadioHost {
  url: string;
  /** Path and `icy-metadata` header of each request. */
  requests: string[];
  /** Returns the number of current listeners. */
  listening: () => number;
  /** The current title, as bytes. */
  title: Buffer;
  close: () => Promise<void>;
}

const METADATA_INTERVAL = 1_000;
/** One second of audio; none of its bytes can begin a title. */
export const RADIO_AUDIO = Buffer.alloc(METADATA_INTERVAL, 0xaa);

const block = (title: Buffer): Buffer => {
  const text = Buffer.concat([Buffer.from("StreamTitle='"), title, Buffer.from("';StreamUrl='';")]);
  const units = Math.ceil(text.length / 16);
  return Buffer.concat([Buffer.of(units), text, Buffer.alloc(units * 16 - text.length)]);
};

export async function startRadioHost(): Promise<RadioHost> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => undefined));
    let head = '';
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      if (head.includes('\r\n\r\n')) answer(socket, head);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const host: RadioHost = {
    url,
    requests: [],
    listening: () => sockets.size,
    title: Buffer.from('First Song'),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };

  /** Sends audio with a title after each piece, twenty pieces a second. */
  function play(socket: Socket, piece: () => Buffer): void {
    const timer = setInterval(() => socket.write(piece()), 50);
    socket.on('close', () => clearInterval(timer));
  }
  const head = (statusLine: string, fields: string[]): string => [statusLine, ...fields, '', ''].join('\r\n');
  const AUDIO_HEADERS = ['content-type: audio/mpeg', 'icy-name: Harbour FM', 'icy-br: 128'];

  function answer(socket: Socket, request: string): void {
    const path = /^GET (\S+)/.exec(request)?.[1] ?? '';
    const wantsTitles = /^icy-metadata: 1\r$/im.test(request);
    host.requests.push(`${path} ${wantsTitles ? 'with titles' : 'without'}`);
    const send = (fields: string[], body: string, status = '200 OK'): void =>
      void socket.end(head(`HTTP/1.1 ${status}`, [...fields, `content-length: ${body.length}`]) + body);
    const interval = wantsTitles ? [`icy-metaint: ${METADATA_INTERVAL}`] : [];
    const piece = (): Buffer => (wantsTitles ? Buffer.concat([RADIO_AUDIO, block(host.title)]) : RADIO_AUDIO);
    if (path === '/pls') return send(['content-type: audio/x-scpls'], `[playlist]\nFile1=${url}/icecast\n`);
    if (path === '/hls')
      return send(['content-type: application/x-mpegurl'], `#EXTM3U\n#EXT-X-VERSION:3\n${url}/icecast`);
    if (path === '/page') return send(['content-type: text/html'], '<p>Not found</p>');
    if (path === '/gone') return send(['content-type: audio/mpeg'], '', '404 Not Found');
    if (path === '/inside') return send(['location: http://127.0.0.2:1/'], '', '302 Found');
    if (path === '/icecast') socket.write(head('HTTP/1.0 200 OK', [...AUDIO_HEADERS, ...interval]));
    if (path === '/shoutcast') socket.write(head('ICY 200 OK', [...AUDIO_HEADERS, ...interval]));
    // the announced interval differs from the stream's
    if (path === '/liar')
      socket.write(head('HTTP/1.0 200 OK', [...AUDIO_HEADERS, ...(wantsTitles ? ['icy-metaint: 777'] : [])]));
    if (path === '/mad')
      socket.write(head('HTTP/1.0 200 OK', [...AUDIO_HEADERS, ...(wantsTitles ? ['icy-metaint: -5e9'] : [])]));
    if (path === '/head') {
      socket.write('HTTP/1.0 200 OK\r\n');
      const timer = setInterval(() => socket.write(`x-more: ${'x'.repeat(4_000)}\r\n`), 5);
      return void socket.on('close', () => clearInterval(timer));
    }
    play(socket, path === '/mad' ? () => RADIO_AUDIO : piece);
  }
  return host;
}
