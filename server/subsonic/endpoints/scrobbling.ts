// Endpoints of scrobbles and now playing.
import type { Accounts } from '../../auth/accounts.ts';
import type { UserId } from '../../db/ids.ts';
import type { HistoryService, PlayReport } from '../../history/service.ts';
import type { NowPlayingService } from '../../history/now-playing.ts';
import type { LibraryService } from '../../library/service.ts';
import type { PodcastService } from '../../podcasts/service.ts';
import { inSlices } from '../../runtime/time-slices.ts';
import { NOTHING, user, type Call, type Endpoints } from '../endpoint.ts';
import { Fault } from '../errors.ts';
import { idOf, trackIdOf } from '../ids.ts';
import { listed, toTime } from '../params.ts';
import { PLAYBACK_STATES, type PlaybackSessions, type PlaybackState } from '../playback-sessions.ts';
import type { Fields } from '../xml.ts';

export interface ScrobblingDeps {
  library: LibraryService;
  history: Pick<HistoryService, 'recordMany'>;
  nowPlaying: NowPlayingService;
  sessions: PlaybackSessions;
  accounts: Pick<Accounts, 'listOpen'>;
  podcasts: Pick<PodcastService, 'setPosition'>;
  now: () => Date;
}

type Playing = ReturnType<PlaybackSessions['of']>[number];

export function scrobblingEndpoints({
  library,
  history,
  nowPlaying,
  sessions,
  accounts,
  podcasts,
  now,
}: ScrobblingDeps): Endpoints {
  /** Clients that were offline send many plays at once, some of songs that no longer exist. */
  async function scrobble({ params, user: { id }, client }: Call): Promise<typeof NOTHING> {
    params.required('id');
    const [ids, times] = [listed(params, 'id'), listed(params, 'time')];
    if (times.length > 0 && times.length !== ids.length)
      throw new Fault(0, `There are ${ids.length} ids and ${times.length} times; each id needs one time.`);
    const reports: PlayReport[] = [];
    await inSlices(ids.entries(), ([at, text]) => {
      const trackId = trackIdOf(text);
      if (trackId !== undefined)
        reports.push({ trackId, client, ...(times.length > 0 && { playedAt: timeOf(times[at] as string) }) });
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
    if (params.required('mediaType') === 'podcast') {
      const positionMs = Math.max(0, params.requiredInt('positionMs'));
      podcasts.setPosition(id, idOf('episode', params.required('mediaId')), { positionMs });
      return NOTHING;
    }
    const track = library.getTrack(id, idOf('track', params.required('mediaId')));
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
    const isOfAnother = (nowPlaying.get(id)?.client ?? client) !== client;
    if (state !== 'stopped') nowPlaying.set(id, { trackId: track.id, positionMs, client });
    else if (!isOfAnother) nowPlaying.set(id, { trackId: null, positionMs, client });
    if (ended)
      await history.recordMany(id, [
        { trackId: ended.trackId, playedAt: ended.startedAt, playedMs: ended.heardMs, client },
      ]);
    return NOTHING;
  }

  /** What the devices of a user play. */
  function playingOf(userId: UserId): Playing[] {
    const reported = sessions.of(userId);
    const current = nowPlaying.get(userId);
    if (!current || reported.some(({ trackId }) => trackId === current.trackId)) return reported;
    const own: Playing = {
      client: current.client ?? 'Tonearm',
      trackId: current.track.id,
      state: 'playing',
      positionMs: current.positionMs + now().getTime() - current.since.getTime(),
      rate: 1,
      at: current.since,
    };
    return [...reported, own];
  }

  /** Of the asking user, and of all who do not hide it; with the likes and plays of the asking one. */
  function playing({ user: asking, shapes }: Call): Fields[] {
    const others = accounts.listOpen().filter(({ id }) => id !== asking.id);
    const all = [asking, ...others].flatMap(({ id, username }) => playingOf(id).map((one) => ({ ...one, username })));
    const ids = all.map(({ trackId }) => trackId);
    const tracks = new Map(library.tracksById(asking.id, ids).map((track) => [track.id, track]));
    return all.flatMap(({ username, client, trackId, state, positionMs, rate, at }, n) => {
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

  return {
    scrobble: user(scrobble),
    reportPlayback: user(reportPlayback),
    getNowPlaying: user((call) => ({ nowPlaying: { entry: playing(call) } })),
  };
}

function timeOf(text: string): Date {
  if (!/^\d{1,16}$/.test(text)) throw new Fault(0, 'The parameter time must be in milliseconds since 1970.');
  return toTime('time', Number(text));
}
