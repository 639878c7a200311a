// The app's end of the socket to its server.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { listenForServer } from '../../../main/server-socket.ts';

test('a server that is killed before it has read everything is no error of the app', async () => {
  const socket = listenForServer();
  const heard: unknown[] = [];
  socket.onMessage((message) => heard.push(message));
  const server = connect(socket.address);
  await once(server, 'connect');
  server.write('{"kind":"pong"}\n');
  await expect.poll(() => heard).toEqual([{ kind: 'pong' }]);
  server.pause();
  socket.send({ kind: 'ping' });
  const faults: unknown[] = [];
  const note = (fault: unknown): void => void faults.push(fault);
  process.on('uncaughtExceptionMonitor', note);
  server.destroy();
  const late = connect(socket.address).resume(); // is answered after the end of the other
  await once(late, 'close');
  expect(faults).toEqual([]);
  process.off('uncaughtExceptionMonitor', note);
  socket.close();
});
