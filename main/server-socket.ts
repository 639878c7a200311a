// The app's end of the socket between it and one run of its server, as lines of JSON; see server/cli/shell-link.ts. It
// closes with the app, however that ends, which ends the server too.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ToServer } from './server-process.ts';

export interface ServerSocket {
  address: string;
  /** Messages sent before the server is connected are queued. */
  send(message: ToServer): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called when the server has ended. */
  close(): void;
}

/** The address of a socket has 104 bytes on macOS. */
const MAX_FOLDER_BYTES = 80;
const isWindows = process.platform === 'win32';

export function listenForServer(): ServerSocket {
  const address = isWindows
    ? `\\\\.\\pipe\\tonearm-${randomUUID()}`
    : join(mkdtempSync(join(tmpdir().length > MAX_FOLDER_BYTES ? '/tmp' : tmpdir(), 'tonearm-')), 'shell');
  let socket: Socket | undefined;
  let hear: (message: unknown) => void = () => undefined;
  const queuedLines: string[] = [];

  const listener = createServer((connection) => {
    connection.on('error', () => undefined); // the end of the process is what counts
    if (socket) return void connection.destroy(); // this is another server, which only checks whether the app runs
    socket = connection;
    for (const line of queuedLines.splice(0)) connection.write(line);
    createInterface({ input: connection })
      .on('line', (line) => hear(parse(line)))
      .on('error', () => undefined); // the socket reports the error again, after a kill with something unread
  });
  listener.listen(address);

  return {
    address,
    send(message) {
      const line = `${JSON.stringify(message)}\n`;
      if (!socket) queuedLines.push(line);
      else if (socket.writable) socket.write(line);
    },
    onMessage(listener) {
      hear = listener;
    },
    close() {
      socket?.destroy();
      listener.close();
      if (!isWindows) rmSync(dirname(address), { recursive: true, force: true });
    },
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
