// Measures the first copy of a library onto a phone, in the three ways of real apps, in turn with Navidrome on the same
// files. Runs only when named; --files N, --rounds N takes medians. Processor time is the server's.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SYNCS } from '../../support/phone-syncs.ts';
import { measure, median, type Measure } from '../measure.ts';
import { endPeers, type Peer, type RunningPeer, type Subsonic } from '../peers/peer.ts';
import { makeSettledLibrary } from '../settled-library.ts';
import { peersHere } from './peers.ts';

type Sync = keyof typeof SYNCS;
const SYNC_WAYS = Object.keys(SYNCS) as Sync[];
const OWN_NAME = 'Tonearm, reference';
const SERVER_NAMES = [OWN_NAME, 'Navidrome'];
const PAGE_SIZE = 500;
/** Goal as a share of Navidrome's figure. */
const RATIO_GOAL = 0.5;

interface CopyCost {
  songs: number;
  requests: number;
  ms: number;
  cpuMs: number;
}
interface Column {
  peer: Peer;
  dir: string;
  /** Costs by sync method, one for each round. */
  costs: Record<Sync, CopyCost[]>;
}

interface PhonesOptions {
  files: number;
  rounds: number;
  builds: string;
}

export async function phonesSuite(dir: string, { files, rounds, builds }: PhonesOptions): Promise<Measure[]> {
  const music = join(dir, 'music');
  makeSettledLibrary({ tracks: files, seed: 'phones', art: 'none' }, music);
  const columns = peersHere(builds)
    .columns.filter(({ peer }) => SERVER_NAMES.includes(peer.name))
    .map(({ peer }, n): Column => ({
      peer,
      dir: join(dir, `phone-${n}`),
      costs: { albums: [], search3: [], folders: [] },
    }));
  try {
    for (const { peer, dir: peerDir } of columns) {
      mkdirSync(peerDir);
      const firstRun = await peer.start({ music, dir: peerDir });
      const fileCount = (await firstRun.scan?.()) ?? 0;
      console.error(`  ${peer.name}: ${fileCount} files`);
      if (fileCount < files * 0.99) throw new Error(`${peer.name} found ${fileCount} of ${files} files`);
      await firstRun.meter.waitUntilQuiet();
      await firstRun.stop();
    }
    for (let round = 0; round < rounds; round++)
      for (const { peer, dir: peerDir, costs } of columns) {
        const runningPeer = await peer.start({ music, dir: peerDir });
        await runningPeer.meter.waitUntilQuiet();
        for (const syncWay of SYNC_WAYS) costs[syncWay].push(await measureSync(runningPeer, syncWay, peer.name));
        await runningPeer.stop();
      }
  } finally {
    await endPeers();
  }
  return goals(columns);
}

async function measureSync({ meter, subsonic }: RunningPeer, syncWay: Sync, name: string): Promise<CopyCost> {
  const cpu = meter.cpuMs();
  const startedAt = performance.now();
  const { songs, requests } = await SYNCS[syncWay]({ ask: asker(subsonic as Subsonic) }, PAGE_SIZE);
  const ms = performance.now() - startedAt;
  const copyCost = { songs: new Set(songs).size, requests, ms, cpuMs: meter.cpuMs() - cpu };
  console.error(`  ${name}, ${syncWay}: ${JSON.stringify(copyCost)}`);
  return copyCost;
}

const asker =
  ({ url, credentials }: Subsonic): Parameters<(typeof SYNCS)[Sync]>[0]['ask'] =>
  async <T>(endpoint: string, params: object, key: string): Promise<T> => {
    const query = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, String(value)]));
    const response = await fetch(`${url}/rest/${endpoint}?${credentials}&${query.toString()}`);
    const { 'subsonic-response': answer } = (await response.json()) as {
      'subsonic-response': Record<string, unknown> & { status: string };
    };
    if (answer.status !== 'ok') throw new Error(`${endpoint}: ${JSON.stringify(answer)}`);
    return answer[key] as T;
  };

function goals(columns: Column[]): Measure[] {
  const findColumn = (name: string): Column | undefined => columns.find(({ peer }) => peer.name === name);
  const [ownColumn, otherColumns] = [
    findColumn(OWN_NAME) as Column,
    columns.filter(({ peer }) => peer.name !== OWN_NAME),
  ];
  return SYNC_WAYS.flatMap((syncWay) =>
    otherColumns.flatMap(({ peer, costs }) =>
      (['ms', 'cpuMs'] as const).map((figure) => {
        const middle = (copyCosts: CopyCost[]): number => median(copyCosts.map((copyCost) => copyCost[figure]));
        const requests = ownColumn.costs[syncWay][0]?.requests.toLocaleString('en');
        const theirRequests = costs[syncWay][0]?.requests.toLocaleString('en');
        return measure({
          suite: 'phones',
          name: `first copy by ${syncWay}, ${requests} requests${figure === 'ms' ? '' : ': processor time'}`,
          unit: 'ms',
          product: middle(ownColumn.costs[syncWay]),
          bound: { name: `${peer.name}, ${theirRequests} requests`, value: middle(costs[syncWay]) },
          goal: { op: '<=', value: RATIO_GOAL },
        });
      }),
    ),
  );
}
