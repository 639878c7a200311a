import { describe, expect, it } from 'vitest';
import type { TrackId, UserId } from '../../../server/db/ids.ts';
import type { Player } from '../../../server/history/player.ts';
import { createPlaybackSessions, type PlaybackState } from '../../../server/subsonic/playback-sessions.ts';

const MINUTE_MS = 60_000;
const ANN_ID = 1 as UserId;

const phoneAt = (address: string): Player => ({ client: 'phone', app: 'phone', key: `phone ${address}` });

function device() {
  let time = 1_000_000_000;
  const sessions = createPlaybackSessions({ now: () => new Date(time) });
  return {
    advance: (ms: number) => {
      time += ms;
    },
    reportState: (
      state: PlaybackState,
      positionMs = 0,
      options: { track?: number; ignore?: boolean; rate?: number; player?: Player } = {},
    ) =>
      sessions.report(
        ANN_ID,
        options.player ?? phoneAt('10.0.0.1'),
        {
          trackId: (options.track ?? 7) as TrackId,
          state,
          positionMs,
          rate: options.rate ?? 1,
          ignore: options.ignore ?? false,
        },
        4 * MINUTE_MS,
      ),
    now: () => sessions.playingOf(ANN_ID)[0],
  };
}

it('of more devices than anybody has forgets the one that reported least recently', () => {
  const sessions = createPlaybackSessions({ now: () => new Date(1_000_000_000) });
  const report = (client: string, user = ANN_ID) =>
    sessions.report(
      user,
      { client, app: client, key: client },
      { trackId: 7 as TrackId, state: 'playing', positionMs: 0, rate: 1, ignore: false },
      4 * MINUTE_MS,
    );
  report('somebody else', 12 as UserId);
  for (let n = 0; n < 60; n++) {
    report('phone');
    report(`made up ${n}`);
  }
  const clients = sessions.playingOf(ANN_ID).map(({ player: { client } }) => client);
  expect([clients.length, clients.includes('phone'), clients.includes('made up 0')]).toEqual([50, true, false]);
  expect(sessions.playingOf(12 as UserId)).toHaveLength(1);
});

describe('reported playback', () => {
  it('is a play when half was played', () => {
    const { reportState, advance } = device();
    expect(reportState('starting')).toEqual([]);
    advance(5_000); // the played time counts from `playing` on
    reportState('playing');
    advance(2 * MINUTE_MS);
    expect(reportState('stopped', 2 * MINUTE_MS)).toMatchObject([{ trackId: 7, heardMs: 2 * MINUTE_MS }]);
  });

  it('is not one when less was played, however far the position jumped', () => {
    const { reportState, advance } = device();
    reportState('starting');
    reportState('playing');
    advance(MINUTE_MS);
    reportState('playing', 3.5 * MINUTE_MS);
    advance(30_000);
    expect(reportState('stopped', 4 * MINUTE_MS)).toEqual([]);
  });

  it('does not count a pause', () => {
    const { reportState, advance } = device();
    reportState('playing');
    advance(MINUTE_MS);
    reportState('paused', MINUTE_MS);
    advance(10 * MINUTE_MS);
    expect(reportState('stopped', MINUTE_MS)).toEqual([]);
  });

  it('ends with the next track, or with the same one from the start', () => {
    const { reportState, advance } = device();
    reportState('playing');
    advance(3 * MINUTE_MS);
    expect(reportState('starting', 0, { track: 8 })).toMatchObject([{ trackId: 7 }]);
    reportState('playing', 0, { track: 8 });
    advance(3 * MINUTE_MS);
    expect(reportState('starting', 0, { track: 8 })).toMatchObject([{ trackId: 8 }]);
  });

  it('is not a play when the client says so', () => {
    const { reportState, advance } = device();
    reportState('playing', 0, { ignore: true });
    advance(4 * MINUTE_MS);
    expect(reportState('stopped', 0, { ignore: true })).toEqual([]);
  });

  it('has its current position, and is deleted half an hour after its end', () => {
    const { reportState, advance, now } = device();
    reportState('playing', 10_000, { rate: 2 });
    advance(5_000);
    expect(now()).toMatchObject({ trackId: 7, positionMs: 20_000, state: 'playing' });
    advance(10 * MINUTE_MS);
    expect(now()).toMatchObject({ positionMs: 4 * MINUTE_MS });
    advance(30 * MINUTE_MS);
    expect(now()).toBeUndefined();
  });

  it('continues at another address, and is not taken for that of a like phone with another track', () => {
    const { reportState, advance } = device();
    reportState('playing');
    reportState('playing', 0, { track: 8, player: phoneAt('10.0.0.2') });
    advance(MINUTE_MS);
    reportState('playing', MINUTE_MS, { player: phoneAt('192.0.2.7') });
    advance(MINUTE_MS);
    expect(reportState('stopped', 2 * MINUTE_MS, { player: phoneAt('192.0.2.7') })).toMatchObject([
      { trackId: 7, heardMs: 2 * MINUTE_MS },
    ]);
    expect(reportState('stopped', 2 * MINUTE_MS, { track: 8, player: phoneAt('10.0.0.2') })).toMatchObject([
      { trackId: 8, heardMs: 2 * MINUTE_MS },
    ]);
  });

  it('of a player that fell silent is a play once its user’s players report again', () => {
    const { reportState, advance } = device();
    reportState('playing');
    advance(3 * MINUTE_MS);
    reportState('playing', 3 * MINUTE_MS);
    advance(60 * MINUTE_MS);
    expect(reportState('starting', 0, { track: 8, player: phoneAt('10.0.0.2') })).toMatchObject([
      { trackId: 7, heardMs: 3 * MINUTE_MS },
    ]);
    expect(reportState('starting', 0, { track: 8, player: phoneAt('10.0.0.2') })).toEqual([]);
  });
});
