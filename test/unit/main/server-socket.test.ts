// Tests the app's end of the socket to its server.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { listenForServer } from '../../../main/server-socket.ts';

test('a server that is killed before it has read everything is no error of the app', async () => {
  const socket = listenForServer();
  const receivedMessages: unknown[] = [];
  socket.onMessage((message) => receivedMessages.push(message));
  const server = connect(socket.address);
  await once(server, 'connect');
  server.write('{"kind":"pong"}\n');
  await expect.poll(() => receivedMessages).toEqual([{ kind: 'pong' }]);
  server.pause();
  socket.send({ kind: 'ping' });
  const faults: unknown[] = [];
  const note = (fault: unknown): void => void faults.push(fault);
  process.on('uncaughtExceptionMonitor', note);
  server.destroy();
  // the socket accepts this connection after the first one has ended
  const laterConnection = connect(socket.address).resume();
  await once(laterConnection, 'close');
  expect(faults).toEqual([]);
  process.off('uncaughtExceptionMonitor', note);
  socket.close();
});
