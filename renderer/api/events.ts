// Writes server-sent events into the query cache. Each window has one EventSource: the browser reconnects it after a
// network error, this module after a response that closed the stream.
import type { QueryClient } from '@tanstack/react-query';
import type { EventMap, EventName } from '../../server/wire.ts';
import { jukeboxKey } from './jukebox.ts';
import { noteDevices } from './device-news.ts';
import { HISTORY } from './history.ts';
import { isOpen, scanKey, SCAN_TASK } from './jobs.ts';
import { LIBRARY } from './library.ts';
import { forgetLikes, noteLike } from './likes.ts';
import { PODCASTS } from './podcasts.ts';
import { STATIONS } from './stations.ts';
import { notePlaylist } from './playlists.ts';
import { QUEUE } from './queue.ts';
import { createRefresher } from './refresher.ts';
import { noteReachable } from './reachability.ts';
import { noteDownload } from './remote.ts';
import { statusQuery } from './status.ts';
import { eventsUrl } from './urls.ts';

const RECONNECT_MS = [1_000, 2_000, 3_000, 5_000];
/** Lists are refetched at most this often, because a scan changes the library all the time. */
const LIBRARY_REFRESH_MS = 2_000;
const JOBS_REFRESH_MS = 1_000;

type Listener<Name extends EventName> = (data: EventMap[Name]) => void;

interface EventStreamOptions {
  queries: QueryClient;
  onJobDone: Listener<'job'>;
}

interface EventStream {
  /** Connects anew, and refetches what may have changed meanwhile. */
  reconnect(): void;
  close(): void;
}

export function openEventStream({ queries, onJobDone }: EventStreamOptions): EventStream {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  const refreshLibrary = createRefresher(LIBRARY_REFRESH_MS, () =>
    // playlists contain tracks, and smart playlists may match other tracks now
    Promise.all([
      queries.invalidateQueries({ queryKey: [LIBRARY] }),
      queries.invalidateQueries({ queryKey: statusQuery().queryKey }), // a music folder may have gone or come back
      notePlaylist(queries),
    ]),
  );
  /** Refetches lists before the scan disappears, because the library would otherwise look empty for a moment. */
  const endScan = () => {
    const endedScan = queries.getQueryData(scanKey);
    void queries
      .invalidateQueries({ queryKey: [LIBRARY] })
      .finally(() => queries.setQueryData(scanKey, (now: unknown) => (now === endedScan ? null : now)));
  };
  const refreshHistory = createRefresher(JOBS_REFRESH_MS, () => queries.invalidateQueries({ queryKey: [HISTORY] }));
  const refreshJobs = createRefresher(JOBS_REFRESH_MS, () => queries.invalidateQueries({ queryKey: ['jobs'] }));

  const listen = <Name extends EventName>(stream: EventSource, name: Name, listener: Listener<Name>) =>
    stream.addEventListener(name, (event) =>
      listener(JSON.parse((event as MessageEvent<string>).data) as EventMap[Name]),
    );

  const connect = () => {
    const stream = new EventSource(eventsUrl());
    source = stream;
    stream.addEventListener('open', () => {
      if (failures > 0) {
        // Events were missed while offline. A running scan sends its progress again within a second.
        queries.setQueryData(scanKey, null);
        forgetLikes();
        void queries.invalidateQueries(); // also fetches what could not be fetched meanwhile
      }
      failures = 0;
      noteReachable(true);
      noteDevices({ kind: 'open' });
    });
    stream.addEventListener('error', () => {
      noteReachable(false);
      noteDevices({ kind: 'lost' });
      failures += 1;
      if (stream.readyState === EventSource.CLOSED)
        timer = setTimeout(connect, RECONNECT_MS[Math.min(failures, RECONNECT_MS.length) - 1]);
    });
    listen(stream, 'library', () => refreshLibrary.soon());
    listen(stream, 'scan', (progress) => {
      if (progress.phase === 'done') endScan();
      else queries.setQueryData(scanKey, progress);
    });
    listen(stream, 'job', (job) => {
      refreshJobs.soon();
      if (isOpen(job)) return void queries.setQueryData(['jobs', job.id], job);
      void queries.invalidateQueries({ queryKey: ['jobs', job.id] }); // an event omits the long lists of a job's result
      if (job.task === SCAN_TASK) endScan();
      onJobDone(job);
    });
    listen(stream, 'like', (state) => noteLike(queries, state));
    listen(stream, 'download', (download) => noteDownload(queries, download));
    listen(stream, 'playlist', () => void notePlaylist(queries));
    listen(stream, 'jukebox', (jukebox) => queries.setQueryData(jukeboxKey, jukebox));
    listen(stream, 'devices', () => noteDevices({ kind: 'changed' }));
    listen(stream, 'device_command', (command) => noteDevices({ kind: 'command', command }));
    listen(stream, 'queue', () => void queries.invalidateQueries({ queryKey: [QUEUE] }));
    listen(stream, 'podcast', () => void queries.invalidateQueries({ queryKey: [PODCASTS] }));
    listen(stream, 'station', () => void queries.invalidateQueries({ queryKey: [STATIONS] }));
    listen(stream, 'history', () => refreshHistory.soon());
  };
  connect();

  const disconnect = () => {
    clearTimeout(timer);
    source?.close();
  };
  return {
    reconnect() {
      disconnect();
      failures += 1;
      connect();
    },
    close() {
      disconnect();
      noteDevices({ kind: 'lost' });
      for (const refresher of [refreshLibrary, refreshJobs, refreshHistory]) refresher.cancel();
    },
  };
}
