// Endpoints of scrobbles and of what is playing now.
import type { Accounts } from '../../auth/accounts.ts';
import type { UserId } from '../../db/ids.ts';
import type { HistoryService, PlayReport } from '../../history/service.ts';
import type { NowPlayingService } from '../../history/now-playing.ts';
import type { LibraryService } from '../../library/service.ts';
import type { PodcastService } from '../../podcasts/service.ts';
import { inSlices } from '../../runtime/time-slices.ts';
import { EMPTY_PAYLOAD, userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { Fault } from '../errors.ts';
import { idOf, trackIdOf } from '../ids.ts';
import { readList, toTime } from '../params.ts';
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

type DevicePlayback = ReturnType<PlaybackSessions['playingOf']>[number];

export function scrobblingEndpoints({
  library,
  history,
  nowPlaying,
  sessions,
  accounts,
  podcasts,
  now,
}: ScrobblingDeps): Endpoints {
  /** Records plays. Clients that were offline send many at once, some of songs that no longer exist. */
  async function scrobble({ params, user: { id }, client }: Call): Promise<typeof EMPTY_PAYLOAD> {
    params.required('id');
    const [ids, times] = [readList(params, 'id'), readList(params, 'time')];
    if (times.length > 0 && times.length !== ids.length)
      throw new Fault(0, `There are ${ids.length} ids and ${times.length} times; each id needs one time.`);
    const reports: PlayReport[] = [];
    await inSlices(ids.entries(), ([index, text]) => {
      const trackId = trackIdOf(text);
      if (trackId !== undefined)
        reports.push({ trackId, client, ...(times.length > 0 && { playedAt: timeOf(times[index] as string) }) });
    });
    if (params.bool('submission', true)) {
      await history.recordMany(id, reports);
    } else {
      const [lastTrack] = library.tracksById(
        id,
        reports.slice(-1).map(({ trackId }) => trackId),
      );
      if (lastTrack) nowPlaying.set(id, { trackId: lastTrack.id, positionMs: 0, client });
    }
    return EMPTY_PAYLOAD;
  }

  async function reportPlayback({ params, user: { id }, client }: Call): Promise<typeof EMPTY_PAYLOAD> {
    if (params.required('mediaType') === 'podcast') {
      const positionMs = Math.max(0, params.requiredInt('positionMs'));
      podcasts.setPosition(id, idOf('episode', params.required('mediaId')), { positionMs });
      return EMPTY_PAYLOAD;
    }
    const track = library.getTrack(id, idOf('track', params.required('mediaId')));
    const positionMs = Math.max(0, params.requiredInt('positionMs'));
    const state = params.required('state');
    if (!PLAYBACK_STATES.includes(state)) throw new Fault(0, `The state must be one of ${PLAYBACK_STATES.join(', ')}.`);
    const rate = Math.min(Math.max(params.number('playbackRate') ?? 1, 0), 16);
    const finishedPlay = sessions.report(
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
    const isOtherDevice = (nowPlaying.get(id)?.client ?? client) !== client;
    if (state !== 'stopped') nowPlaying.set(id, { trackId: track.id, positionMs, client });
    else if (!isOtherDevice) nowPlaying.set(id, { trackId: null, positionMs, client });
    if (finishedPlay)
      await history.recordMany(id, [
        { trackId: finishedPlay.trackId, playedAt: finishedPlay.startedAt, playedMs: finishedPlay.heardMs, client },
      ]);
    return EMPTY_PAYLOAD;
  }

  /** Returns what the user's devices are playing. */
  function playingOf(userId: UserId): DevicePlayback[] {
    const sessionsOfUser = sessions.playingOf(userId);
    const current = nowPlaying.get(userId);
    if (!current || sessionsOfUser.some(({ trackId }) => trackId === current.trackId)) return sessionsOfUser;
    const appPlayback: DevicePlayback = {
      client: current.client ?? 'Tonearm',
      trackId: current.track.id,
      state: 'playing',
      positionMs: current.positionMs + now().getTime() - current.since.getTime(),
      rate: 1,
      reportedAt: current.since,
    };
    return [...sessionsOfUser, appPlayback];
  }

  /** Lists the playback of the caller and of everyone who does not hide it, with the caller's likes and plays. */
  function listPlaying({ user: caller, shapes }: Call): Fields[] {
    const otherUsers = accounts.listOpen().filter(({ id }) => id !== caller.id);
    const playbacks = [caller, ...otherUsers].flatMap(({ id, username }) =>
      playingOf(id).map((playback) => ({ ...playback, username })),
    );
    const ids = playbacks.map(({ trackId }) => trackId);
    const tracks = new Map(library.tracksById(caller.id, ids).map((track) => [track.id, track]));
    return playbacks.flatMap(({ username, client, trackId, state, positionMs, rate, reportedAt }, n) => {
      const track = tracks.get(trackId);
      return track === undefined
        ? []
        : [
            {
              ...shapes.song(track),
              username,
              minutesAgo: Math.max(0, Math.floor((now().getTime() - reportedAt.getTime()) / 60_000)),
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
    scrobble: userEndpoint(scrobble),
    reportPlayback: userEndpoint(reportPlayback),
    getNowPlaying: userEndpoint((call) => ({ nowPlaying: { entry: listPlaying(call) } })),
  };
}

function timeOf(text: string): Date {
  if (!/^\d{1,16}$/.test(text)) throw new Fault(0, 'The parameter time must be in milliseconds since 1970.');
  return toTime('time', Number(text));
}
