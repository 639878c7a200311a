// Endpoints of playing: scrobbles, what plays now, the queue that all devices share, bookmarks.
import type { TrackId } from '../db/ids.ts';
import type { HistoryService, PlayReport } from '../history/service.ts';
import type { NowPlayingService } from '../history/now-playing.ts';
import type { LibraryService } from '../library/service.ts';
import type { BookmarkService } from '../playback/bookmarks.ts';
import type { PlayQueue, QueueService } from '../playback/queue.ts';
import { NOTHING, user, type Call, type Endpoints } from './call.ts';
import { Fault } from './errors.ts';
import { idOf, parseId, toId } from './ids.ts';
import { ALL, rowsOf } from './list-slices.ts';
import { toTime, type Params } from './params.ts';
import { PLAYBACK_STATES, type PlaybackSessions, type PlaybackState } from './sessions.ts';
import type { Fields } from './xml.ts';

export interface PlaybackDeps {
  library: LibraryService;
  history: Pick<HistoryService, 'recordMany'>;
  nowPlaying: NowPlayingService;
  sessions: PlaybackSessions;
  queue: QueueService;
  bookmarks: BookmarkService;
  now: () => Date;
}

export function playbackEndpoints({
  library,
  history,
  nowPlaying,
  sessions,
  queue,
  bookmarks,
  now,
}: PlaybackDeps): Endpoints {
  /** Phones that were offline send a week of plays at once, some of songs that are gone. */
  async function scrobble({ params, user: { id }, client }: Call): Promise<typeof NOTHING> {
    params.required('id');
    const [ids, times] = [params.all('id'), params.all('time')];
    if (times.length > 0 && times.length !== ids.length)
      throw new Fault(0, `There are ${ids.length} ids and ${times.length} times; each id needs its own.`);
    const reports = ids.flatMap((text, at): PlayReport[] => {
      const trackId = trackIdOf(text);
      return trackId === undefined
        ? []
        : [{ trackId, client, ...(times.length > 0 && { playedAt: timeOf(times[at] as string) }) }];
    });
    if (params.bool('submission', true)) {
      await history.recordMany(id, reports);
    } else {
      const [last] = library.tracksById(
        id,
        reports.slice(-1).map(({ trackId }) => trackId),
      );
      if (last) nowPlaying.set(id, { trackId: last.id, positionMs: 0, client });
    }
    return NOTHING;
  }

  async function reportPlayback({ params, user: { id }, client }: Call): Promise<typeof NOTHING> {
    const track = library.getTrack(id, idOf('track', params.required('mediaId')));
    params.required('mediaType');
    const positionMs = Math.max(0, params.requiredInt('positionMs'));
    const state = params.required('state');
    if (!PLAYBACK_STATES.includes(state)) throw new Fault(0, `The state must be one of ${PLAYBACK_STATES.join(', ')}.`);
    const rate = Math.min(Math.max(params.number('playbackRate') ?? 1, 0), 16);
    const ended = sessions.report(
      id,
      client,
      {
        trackId: track.id,
        state: state as PlaybackState,
        positionMs,
        rate,
        ignore: params.bool('ignoreScrobble', false),
      },
      track.durationMs,
    );
    nowPlaying.set(id, { trackId: state === 'stopped' ? null : track.id, positionMs, client });
    if (ended)
      await history.recordMany(id, [
        { trackId: ended.trackId, playedAt: ended.startedAt, playedMs: ended.heardMs, client },
      ]);
    return NOTHING;
  }

  function playing({ user: { id, username }, shapes }: Call): Fields[] {
    const reported = sessions.of(id);
    const current = nowPlaying.get(id);
    const told =
      current && !reported.some(({ trackId }) => trackId === current.trackId)
        ? [
            {
              client: current.client ?? 'Tonearm',
              trackId: current.track.id,
              state: 'playing',
              positionMs: current.positionMs + now().getTime() - current.since.getTime(),
              rate: 1,
              at: current.since,
            },
          ]
        : [];
    const all = [...reported, ...told];
    const tracks = new Map(
      library
        .tracksById(
          id,
          all.map(({ trackId }) => trackId),
        )
        .map((track) => [track.id, track]),
    );
    return all.flatMap(({ client, trackId, state, positionMs, rate, at }, n) => {
      const track = tracks.get(trackId);
      return track === undefined
        ? []
        : [
            {
              ...shapes.song(track),
              username,
              minutesAgo: Math.max(0, Math.floor((now().getTime() - at.getTime()) / 60_000)),
              playerId: n + 1,
              playerName: client,
              ...shapes.open(() => ({
                state,
                positionMs: Math.min(positionMs, track.durationMs ?? positionMs),
                playbackRate: rate,
              })),
            },
          ];
    });
  }

  async function savedQueue(
    { user: { id, username }, shapes }: Call,
    place: (queue: PlayQueue) => Fields,
  ): Promise<Fields> {
    const saved = queue.get(id);
    const tracks = await rowsOf(saved.trackIds, (ids) => library.tracksById(id, ids));
    return {
      ...(tracks.length > 0 && { ...place(saved), position: saved.positionMs }),
      username,
      changed: saved.updatedAt ?? new Date(0),
      changedBy: saved.client ?? '',
      entry: tracks.map((track) => shapes.song(track)),
    };
  }

  /** Without ids the queue is cleared. */
  function saveQueue({ params, user: { id }, client }: Call, place: (trackIds: TrackId[]) => number): typeof NOTHING {
    const trackIds = params
      .all('id')
      .map(trackIdOf)
      .filter((trackId) => trackId !== undefined);
    queue.save(id, {
      trackIds,
      currentIndex: trackIds.length === 0 ? 0 : place(trackIds),
      positionMs: Math.max(0, params.int('position') ?? 0),
      client,
    });
    return NOTHING;
  }

  return {
    scrobble: user(scrobble),
    reportPlayback: user(reportPlayback),
    getNowPlaying: user((call) => ({ nowPlaying: { entry: playing(call) } })),

    getPlayQueue: user(async (call) => ({
      playQueue: await savedQueue(call, ({ trackIds, currentIndex }) => ({
        current: toId('track', trackIds[currentIndex] as TrackId),
      })),
    })),
    getPlayQueueByIndex: user(async (call) => ({
      playQueueByIndex: await savedQueue(call, ({ currentIndex }) => ({ currentIndex })),
    })),

    savePlayQueue: user((call) =>
      saveQueue(call, (trackIds) => {
        const current = trackIdOf(call.params.required('current'));
        const at = current === undefined ? -1 : trackIds.indexOf(current);
        if (at < 0) throw new Fault(10, 'The parameter current must be one of the ids.');
        return at;
      }),
    ),
    savePlayQueueByIndex: user((call) =>
      saveQueue(call, (trackIds) => {
        const index = call.params.requiredInt('currentIndex');
        if (index < 0 || index >= trackIds.length)
          throw new Fault(10, 'The parameter currentIndex lies outside of the queue.');
        return index;
      }),
    ),

    getBookmarks: user(({ user: { id, username }, shapes }) => ({
      bookmarks: {
        bookmark: bookmarks.list(id, ALL).items.map(({ positionMs, comment, createdAt, updatedAt, track }) => ({
          position: positionMs,
          username,
          comment: comment ?? undefined,
          created: createdAt,
          changed: updatedAt,
          entry: shapes.song(track, { bookmarkMs: positionMs }),
        })),
      },
    })),
    createBookmark: user(({ params, user: { id } }) => {
      const trackId = idOf('track', params.required('id'));
      bookmarks.set(id, trackId, {
        positionMs: Math.max(0, params.requiredInt('position')),
        comment: commentOf(params),
      });
      return NOTHING;
    }),
    deleteBookmark: user(({ params, user: { id } }) => {
      bookmarks.remove(id, idOf('track', params.required('id')));
      return NOTHING;
    }),
  };
}

const MOST_COMMENT = 1_000;
const commentOf = (params: Params): string | null => params.text('comment')?.slice(0, MOST_COMMENT) ?? null;

function trackIdOf(text: string): TrackId | undefined {
  const item = parseId(text);
  return item?.kind === 'track' ? item.id : undefined;
}

function timeOf(text: string): Date {
  if (!/^\d{1,16}$/.test(text)) throw new Fault(0, 'Times are milliseconds since 1970.');
  return toTime('time', Number(text));
}
