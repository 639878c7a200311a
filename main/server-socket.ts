// The app's end of the socket to one run of its server; messages are lines of JSON; see server/cli/shell-link.ts. The
// socket closes when the app ends for any reason, and the server then ends too.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ToServer } from './server-process.ts';

export interface ServerSocket {
  address: string;
  /** Sends a message; messages are queued until the server is connected. */
  send(message: ToServer): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Closes the socket; called when the server has ended. */
  close(): void;
}

/** The path of a socket is limited to 104 bytes on macOS. */
const MAX_FOLDER_BYTES = 80;
const isWindows = process.platform === 'win32';

export function listenForServer(): ServerSocket {
  const address = isWindows
    ? `\\\\.\\pipe\\tonearm-${randomUUID()}`
    : join(mkdtempSync(join(tmpdir().length > MAX_FOLDER_BYTES ? '/tmp' : tmpdir(), 'tonearm-')), 'shell');
  let socket: Socket | undefined;
  let receive: (message: unknown) => void = () => undefined;
  const queuedLines: string[] = [];

  const listener = createServer((connection) => {
    connection.on('error', () => undefined); // only the end of the process counts
    if (socket) return void connection.destroy(); // another server is only checking whether the app runs
    socket = connection;
    for (const line of queuedLines.splice(0)) connection.write(line);
    createInterface({ input: connection })
      .on('line', (line) => receive(parse(line)))
      .on('error', () => undefined); // a killed server leaves unread data, whose error is repeated here
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
      receive = listener;
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
