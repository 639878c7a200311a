// Maintains the status from the server's events, the reports of the page with the player, and the state of the server
// process.
import type { Clock } from './clock.ts';
import type { PlayerReport, ServerState } from './ipc.ts';
import { createServerEvents } from './server-events.ts';
import type { ServerClient } from './server-client.ts';
import { Job, Network, Scan } from './api-schemas.ts';
import { initialStatus, withJob, withNetwork, withScan, type Status } from './status.ts';

interface WatchDeps {
  client: Pick<ServerClient, 'openEvents' | 'openJobs' | 'network'>;
  clock: Clock;
  onChange(status: Status): void;
  onJob(job: Job): void;
}

export function watchServer({ client, clock, onChange, onJob }: WatchDeps) {
  let status = initialStatus;
  const update = (change: Partial<Status>): void => {
    status = { ...status, ...change };
    onChange(status);
  };

  const noteJob = (job: Job): void => {
    const work = withJob(status.work, job);
    if (work !== status.work) update({ work });
  };

  /** Counts changes of the network state, so that a response requested before the last change can be ignored. */
  let networkChanges = 0;
  const networkIs = (network: Network): void => {
    networkChanges++;
    update({ sharing: withNetwork(status.sharing, network) });
  };

  /** Fetches the running jobs, and the network state that no event has reported yet. */
  async function catchUp(): Promise<void> {
    const changesBefore = networkChanges;
    const [jobs, network] = await Promise.all([
      client.openJobs().catch(() => []),
      client.network().catch(() => undefined),
    ]);
    update({ work: jobs.reduce(withJob, status.work) });
    if (networkChanges === changesBefore) update({ sharing: network ? withNetwork(null, network) : null });
  }

  const readers: Record<string, (data: unknown) => void> = {
    job(data) {
      const job = Job.safeParse(data).data;
      if (!job) return;
      noteJob(job);
      onJob(job);
    },
    scan(data) {
      const scan = Scan.safeParse(data).data;
      if (scan) update({ work: withScan(status.work, scan) });
    },
    network(data) {
      const network = Network.safeParse(data).data;
      if (network) networkIs(network);
    },
  };

  const events = createServerEvents({
    client,
    clock,
    onOpen() {
      update({ isSignedIn: true, work: [] });
      void catchUp();
    },
    onEvent({ name, data }) {
      const readEvent = Object.hasOwn(readers, name) ? readers[name] : undefined;
      if (readEvent) readEvent(JSON.parse(data));
    },
    onLost(isSetUp) {
      if (!isSetUp) update({ isSignedIn: false });
    },
  });

  return {
    status: (): Status => status,

    serverIs(server: ServerState): void {
      update(server === 'running' ? { server } : { server, sharing: null, work: [] });
      if (server === 'running') events.connect();
      else events.disconnect();
    },

    playerIs(player: PlayerReport | null): void {
      update({ player });
      // the first account may just have been created in the page that has the player
      if (player && !status.isSignedIn && status.server === 'running' && !events.isConnected()) events.connect();
    },

    playerOnTop: (isPlayerOnTop: boolean): void => update({ isPlayerOnTop }),

    serverHangs: (isHung: boolean): void => update({ isHung }),

    networkIs,

    /** Reconnects after the computer slept, because the connection is then dead without an error. */
    wakeUp(): void {
      if (status.server === 'running') events.connect();
    },

    close: events.disconnect,
  };
}
