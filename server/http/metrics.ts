// GET /metrics in Prometheus text format, for superusers and for requests from this machine.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { AppError } from '../errors.ts';
import { isOwnMachine } from './own-machine.ts';
import { route, type Route } from './route.ts';

export interface MetricSources {
  version: string;
  library: () => { tracks: number; albums: number; artists: number };
}

const NANOSECONDS_PER_SECOND = 1e9;

export function metricRoutes({ version, library }: MetricSources): Route[] {
  // The monitor starts at the first request, because its timer wakes the process up.
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
        if (!user?.isSuperuser && !isOwnMachine(req))
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
                  delay.max / NANOSECONDS_PER_SECOND,
                ),
                gauge(
                  'nodejs_eventloop_delay_p99_seconds',
                  'Delay of the event loop since the last scrape.',
                  delay.percentile(99) / NANOSECONDS_PER_SECOND,
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

const gauge = (name: string, help: string, value: number, labels = ''): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name}${labels} ${value}`;
