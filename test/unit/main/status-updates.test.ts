// What the tray shows when an answer of the server is older than its last event.
import { expect, it } from 'vitest';
import type { Network } from '../../../main/api-schemas.ts';
import type { Clock } from '../../../main/clock.ts';
import { watchServer } from '../../../main/status-updates.ts';

const network = (shared: boolean): Network => ({ shared });

it('an answer that was asked for before the last change of the network is out of date', async () => {
  const answer = Promise.withResolvers<Network>();
  const asked = Promise.withResolvers<void>();
  const jobs = Promise.withResolvers<never[]>();
  const clock: Clock = { now: () => new Date(), after: () => () => undefined };
  const watch = watchServer({
    client: {
      openEvents: async () => new Response(new ReadableStream()),
      openJobs: () => jobs.promise,
      network: () => {
        asked.resolve();
        return answer.promise;
      },
    },
    clock,
    onChange: () => undefined,
    onJob: () => undefined,
  });
  watch.serverIs('running');
  await asked.promise;
  watch.networkIs(network(false));
  answer.resolve(network(true));
  jobs.resolve([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(watch.status().sharing).toMatchObject({ isOn: false });
  watch.close();
});
