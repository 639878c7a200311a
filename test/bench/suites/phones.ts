// The first copy of a library onto a phone, in the three ways of real apps, beside Navidrome with the same files.
// Runs only when it is named itself; --files N, --rounds N takes medians, the servers in turn. Processor time is the
// server's.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SYNCS } from '../../support/phone-syncs.ts';
import { measure, median, type Measure } from '../measure.ts';
import { endPeers, type Peer, type Running, type Subsonic } from '../peers/peer.ts';
import { makeSettledLibrary } from '../settled-library.ts';
import { peersHere } from './peers.ts';

type Sync = keyof typeof SYNCS;
const WAYS = Object.keys(SYNCS) as Sync[];
const OURS = 'Tonearm, reference';
const SERVERS = [OURS, 'Navidrome'];
const PAGE = 500;
/** Of Navidrome's figure. */
const GOAL = 0.5;

interface Taken {
  songs: number;
  requests: number;
  ms: number;
  cpuMs: number;
}
interface Column {
  peer: Peer;
  dir: string;
  /** By way, then round. */
  taken: Record<Sync, Taken[]>;
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
    .columns.filter(({ peer }) => SERVERS.includes(peer.name))
    .map(({ peer }, n): Column => ({
      peer,
      dir: join(dir, `phone-${n}`),
      taken: { albums: [], search3: [], folders: [] },
    }));
  try {
    for (const { peer, dir: own } of columns) {
      mkdirSync(own);
      const first = await peer.start({ music, dir: own });
      const fileCount = (await first.scan?.()) ?? 0;
      console.error(`  ${peer.name}: ${fileCount} files`);
      if (fileCount < files * 0.99) throw new Error(`${peer.name} found ${fileCount} of ${files} files`);
      await first.meter.quiet();
      await first.stop();
    }
    for (let round = 0; round < rounds; round++)
      for (const { peer, dir: own, taken } of columns) {
        const running = await peer.start({ music, dir: own });
        await running.meter.quiet();
        for (const way of WAYS) taken[way].push(await copy(running, way, peer.name));
        await running.stop();
      }
  } finally {
    await endPeers();
  }
  return goals(columns);
}

async function copy({ meter, subsonic }: Running, way: Sync, name: string): Promise<Taken> {
  const cpu = meter.cpuMs();
  const startedAt = performance.now();
  const { songs, requests } = await SYNCS[way]({ ask: asker(subsonic as Subsonic) }, PAGE);
  const ms = performance.now() - startedAt;
  const measured = { songs: new Set(songs).size, requests, ms, cpuMs: meter.cpuMs() - cpu };
  console.error(`  ${name}, ${way}: ${JSON.stringify(measured)}`);
  return measured;
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
  const of = (name: string): Column | undefined => columns.find(({ peer }) => peer.name === name);
  const [own, others] = [of(OURS) as Column, columns.filter(({ peer }) => peer.name !== OURS)];
  return WAYS.flatMap((way) =>
    others.flatMap(({ peer, taken }) =>
      (['ms', 'cpuMs'] as const).map((figure) => {
        const middle = (all: Taken[]): number => median(all.map((one) => one[figure]));
        const requests = own.taken[way][0]?.requests.toLocaleString('en');
        const theirs = taken[way][0]?.requests.toLocaleString('en');
        return measure({
          suite: 'phones',
          name: `first copy by ${way}, ${requests} requests${figure === 'ms' ? '' : ': processor time'}`,
          unit: 'ms',
          product: middle(own.taken[way]),
          bound: { name: `${peer.name}, ${theirs} requests`, value: middle(taken[way]) },
          goal: { op: '<=', value: GOAL },
        });
      }),
    ),
  );
}
