// Endpoints of scrobbles and of what is playing now.
import type { Accounts } from '../../auth/accounts.ts';
import type { EpisodeId, UserId } from '../../db/ids.ts';
import { notFound } from '../../errors.ts';
import type { HistoryService, PlayReport } from '../../history/service.ts';
import type { NowPlayingService } from '../../history/now-playing.ts';
import { playerOf } from '../../history/player.ts';
import type { LibraryService } from '../../library/service.ts';
import type { PodcastService } from '../../podcasts/service.ts';
import { inSlices } from '../../runtime/time-slices.ts';
import { EMPTY_PAYLOAD, userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { Fault } from '../errors.ts';
import { idOf, parseId, toPrintable } from '../ids.ts';
import { readPairs, toTime } from '../params.ts';
import { PLAYBACK_STATES, type PlaybackSessions, type PlaybackState } from '../playback-sessions.ts';
import type { Fields } from '../xml.ts';

export interface ScrobblingDeps {
  library: LibraryService;
  history: Pick<HistoryService, 'recordMany'>;
  nowPlaying: NowPlayingService;
  sessions: PlaybackSessions;
  accounts: Pick<Accounts, 'listOpen'>;
  podcasts: Pick<PodcastService, 'episode' | 'setPosition'>;
  now: () => Date;
}

type Playback = ReturnType<PlaybackSessions['playingOf']>[number];

export function scrobblingEndpoints({
  library,
  history,
  nowPlaying,
  sessions,
  accounts,
  podcasts,
  now,
}: ScrobblingDeps): Endpoints {
  /**
   * Records plays. Clients that were offline send many at once, some of songs that no longer exist, which are left out.
   * Podcast episodes have no plays. Throws 70 if no id is one of a song or an episode.
   */
  async function scrobble(call: Call): Promise<typeof EMPTY_PAYLOAD> {
    const {
      params,
      user: { id },
      client,
    } = call;
    const firstId = params.required('id');
    const reports: PlayReport[] = [];
    let lastEpisode: EpisodeId | undefined;
    // Amperfy calls the time `date`
    const sentPlays = readPairs(params, 'id', params.has('time') ? 'time' : 'date');
    await inSlices(sentPlays, ([text, time]) => {
      const item = parseId(text);
      if (item?.kind === 'episode') lastEpisode = item.id;
      if (item?.kind === 'track')
        reports.push({ trackId: item.id, client, ...(time !== undefined && { playedAt: toTime('time', time) }) });
    });
    const existingIds = await library.findExistingTracks(reports.map(({ trackId }) => trackId));
    const songReports = reports.filter(({ trackId }) => existingIds.has(trackId));
    const lastReport = songReports.at(-1);
    if (!lastReport) {
      if (lastEpisode === undefined) throw notFound('song', toPrintable(firstId));
      podcasts.episode(id, lastEpisode);
      return EMPTY_PAYLOAD;
    }
    if (params.bool('submission', true)) await history.recordMany(id, songReports);
    else nowPlaying.set(id, playerOf(call), { trackId: lastReport.trackId, positionMs: 0 });
    return EMPTY_PAYLOAD;
  }

  async function reportPlayback(call: Call): Promise<typeof EMPTY_PAYLOAD> {
    const {
      params,
      user: { id },
    } = call;
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
    const player = playerOf(call);
    const finishedPlays = sessions.report(
      id,
      player,
      {
        trackId: track.id,
        state: state as PlaybackState,
        positionMs,
        rate,
        ignore: params.bool('ignoreScrobble', false),
      },
      track.durationMs,
    );
    nowPlaying.set(id, player, { trackId: state === 'stopped' ? null : track.id, positionMs });
    await history.recordMany(
      id,
      finishedPlays.map(({ player: { client }, trackId, startedAt, heardMs }) => ({
        trackId,
        playedAt: startedAt,
        playedMs: heardMs,
        client: client ?? undefined,
      })),
    );
    return EMPTY_PAYLOAD;
  }

  /** Returns what the user's players are playing; those that only send scrobbles play on since their last one. */
  function playingOf(userId: UserId): Playback[] {
    const sessionsOfUser = sessions.playingOf(userId);
    const sessionKeys = new Set(sessionsOfUser.map(({ player }) => player.key));
    const otherPlaybacks = nowPlaying
      .list(userId)
      .filter(({ player }) => !sessionKeys.has(player.key))
      .map(({ player, track, positionMs, since }): Playback => ({
        player,
        trackId: track.id,
        state: 'playing',
        positionMs: positionMs + now().getTime() - since.getTime(),
        rate: 1,
        reportedAt: since,
      }));
    return [...sessionsOfUser, ...otherPlaybacks];
  }

  /** Lists the playback of the caller and of everyone who does not hide it, with the caller's likes and plays. */
  function listPlaying({ user: caller, shapes }: Call): Fields[] {
    const otherUsers = accounts.listOpen().filter(({ id }) => id !== caller.id);
    const playbacks = [caller, ...otherUsers].flatMap(({ id, username }) =>
      playingOf(id).map((playback) => ({ ...playback, username })),
    );
    const ids = playbacks.map(({ trackId }) => trackId);
    const tracks = new Map(library.tracksById(caller.id, ids).map((track) => [track.id, track]));
    return playbacks.flatMap(({ username, player, trackId, state, positionMs, rate, reportedAt }, n) => {
      const track = tracks.get(trackId);
      return track === undefined
        ? []
        : [
            {
              ...shapes.song(track),
              username,
              minutesAgo: Math.max(0, Math.floor((now().getTime() - reportedAt.getTime()) / 60_000)),
              playerId: n + 1,
              playerName: player.client ?? 'Tonearm',
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
