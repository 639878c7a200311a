// GET /metrics in Prometheus text format, for superusers and for requests from this machine.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Request } from 'express';
import { AppError } from '../errors.ts';
import { route, type Route } from './route.ts';

export interface MetricSources {
  version: string;
  library: () => { tracks: number; albums: number; artists: number };
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];
const LOOPBACK_HOST = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\]):(\d{1,5})$/i;
const NANOSECONDS = 1e9;

export function metricRoutes({ version, library }: MetricSources): Route[] {
  // started at the first request, since its timer wakes the process up
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;
  return [
    route(
      {
        method: 'get',
        path: '/metrics',
        access: 'public',
        summary: 'Metrics for Prometheus; superusers, or from this machine without signing in',
        problems: ['unauthenticated'],
        produces: ['text/plain; version=0.0.4'],
      },
      ({ user, req, res }) => {
        if (!user?.isSuperuser && !isDirectLoopback(req))
          throw new AppError(user ? 'forbidden' : 'unauthenticated', 'Only administrators can read the metrics.');
        const { tracks, albums, artists } = library();
        const memory = process.memoryUsage();
        const lines = [
          gauge('tonearm_info', 'Version of the server.', 1, `{version="${version}"}`),
          gauge('tonearm_tracks', 'Tracks in the library.', tracks),
          gauge('tonearm_albums', 'Albums in the library.', albums),
          gauge('tonearm_artists', 'Artists in the library.', artists),
          gauge('process_resident_memory_bytes', 'Resident memory.', memory.rss),
          gauge('nodejs_heap_used_bytes', 'JavaScript heap in use.', memory.heapUsed),
          gauge('nodejs_heap_total_bytes', 'JavaScript heap allocated.', memory.heapTotal),
          gauge('nodejs_external_bytes', 'Memory outside the heap, including buffers.', memory.external),
          gauge('process_uptime_seconds', 'Time since the start.', Math.round(process.uptime())),
          ...(delay
            ? [
                gauge(
                  'nodejs_eventloop_delay_max_seconds',
                  'Longest delay of the event loop since the last time this was asked.',
                  delay.max / NANOSECONDS,
                ),
                gauge(
                  'nodejs_eventloop_delay_p99_seconds',
                  'Delay of the event loop since the last scrape.',
                  delay.percentile(99) / NANOSECONDS,
                ),
              ]
            : []),
        ];
        delay?.reset();
        delay ??= startMonitor();
        res
          .status(200)
          .type('text/plain; version=0.0.4')
          .end(`${lines.join('\n')}\n`);
      },
    ),
  ];
}

function startMonitor(): ReturnType<typeof monitorEventLoopDelay> {
  const monitor = monitorEventLoopDelay({ resolution: 5 });
  monitor.enable();
  return monitor;
}

/**
 * A program on this machine, not a proxy here that forwards requests of others. A proxy is listed in TRUSTED_PROXIES,
 * or is recognized by a forwarding header, by HTTP/1.0, or by a Host that is not this server's address.
 */
function isDirectLoopback(req: Request): boolean {
  const { remoteAddress = '', localPort } = req.socket;
  const trust = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return (
    LOOPBACK.has(remoteAddress) &&
    !trust(remoteAddress, 0) &&
    req.httpVersion !== '1.0' &&
    FORWARDING.every((name) => req.headers[name] === undefined) &&
    LOOPBACK_HOST.exec(req.headers.host ?? '')?.[1] === String(localPort)
  );
}

const gauge = (name: string, help: string, value: number, labels = ''): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name}${labels} ${value}`;
