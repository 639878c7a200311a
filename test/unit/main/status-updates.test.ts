// Tests what the tray shows when a response of the server is older than its last event.
import { expect, it } from 'vitest';
import type { Network } from '../../../main/api-schemas.ts';
import type { Clock } from '../../../main/clock.ts';
import { watchServer } from '../../../main/status-updates.ts';

const network = (isShared: boolean): Network => ({ shared: isShared });

it('an answer that was asked for before the last change of the network is out of date', async () => {
  const answer = Promise.withResolvers<Network>();
  const requestReceived = Promise.withResolvers<void>();
  const jobs = Promise.withResolvers<never[]>();
  const clock: Clock = { now: () => new Date(), after: () => () => undefined };
  const statusWatch = watchServer({
    client: {
      openEvents: async () => new Response(new ReadableStream()),
      openJobs: () => jobs.promise,
      network: () => {
        requestReceived.resolve();
        return answer.promise;
      },
    },
    clock,
    onChange: () => undefined,
    onJob: () => undefined,
  });
  statusWatch.serverIs('running');
  await requestReceived.promise;
  statusWatch.networkIs(network(false));
  answer.resolve(network(true));
  jobs.resolve([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(statusWatch.status().sharing).toMatchObject({ isOn: false });
  statusWatch.close();
});
