// GET /metrics in Prometheus text format, for superusers and for monitoring programs with METRICS_TOKEN.
import { hash, timingSafeEqual } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { WatchedSettings } from '../config/live-settings.ts';
import { AppError } from '../errors.ts';
import type { WatchedWork } from './health.ts';
import { route, type Route } from './route.ts';

export interface MetricSources {
  version: string;
  settings: Pick<WatchedSettings, 'get'>;
  library: () => { tracks: number; albums: number; artists: number };
  lastSuccesses: () => Record<WatchedWork, Date | null>;
}

const NANOSECONDS_PER_SECOND = 1e9;

export function metricRoutes({ version, settings, library, lastSuccesses }: MetricSources): Route[] {
  // The monitor starts at the first request, because its timer wakes the process up.
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;
  return [
    route(
      {
        method: 'get',
        path: '/metrics',
        access: 'public',
        summary: 'Metrics for Prometheus: for superusers, and with METRICS_TOKEN as the bearer token',
        problems: ['unauthenticated'],
        produces: ['text/plain; version=0.0.4'],
      },
      ({ user, req, res }) => {
        const isOpen =
          settings.get('METRICS_OPEN') || isToken(req.headers.authorization, settings.get('METRICS_TOKEN'));
        if (!user?.isSuperuser && !isOpen)
          throw new AppError(
            user ? 'forbidden' : 'unauthenticated',
            'The metrics need the token of an administrator, or the one in the setting METRICS_TOKEN.',
          );
        const { tracks, albums, artists } = library();
        const memory = process.memoryUsage();
        const lines = [
          gauge('tonearm_info', 'Version of the server.', 1, `{version="${version}"}`),
          gauge('tonearm_tracks', 'Tracks in the library.', tracks),
          gauge('tonearm_albums', 'Albums in the library.', albums),
          gauge('tonearm_artists', 'Artists in the library.', artists),
          ...lastSuccessGauge(lastSuccesses()),
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

/** Compares in constant time. */
function isToken(header: string | undefined, token: string | undefined): boolean {
  const givenToken = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
  if (givenToken === undefined || token === undefined) return false;
  return timingSafeEqual(hash('sha256', givenToken, 'buffer'), hash('sha256', token, 'buffer'));
}

function startMonitor(): ReturnType<typeof monitorEventLoopDelay> {
  const monitor = monitorEventLoopDelay({ resolution: 5 });
  monitor.enable();
  return monitor;
}

function lastSuccessGauge(successes: Record<WatchedWork, Date | null>): string[] {
  const name = 'tonearm_last_success_timestamp_seconds';
  const samples = Object.entries(successes).flatMap(([work, at]) =>
    at ? [`${name}{work="${work}"} ${Math.round(at.getTime() / 1_000)}`] : [],
  );
  if (samples.length === 0) return [];
  return [
    `# HELP ${name} When the last good scan, backup or check of the backup ended.`,
    `# TYPE ${name} gauge`,
    ...samples,
  ];
}

const gauge = (name: string, help: string, value: number, labels = ''): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name}${labels} ${value}`;
