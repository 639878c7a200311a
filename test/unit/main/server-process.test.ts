import { beforeEach, describe, expect, it } from 'vitest';
import { createServerProcess, type ServerProcess } from '../../../main/server-process.ts';
import { scriptServer, createManualClock, waitForTurn } from './scripted-server.ts';

const LISTENING_LINE = 'Tonearm is listening on http://127.0.0.1:4747\n';

let script: ReturnType<typeof scriptServer>;
let time: ReturnType<typeof createManualClock>;
let server: ServerProcess;
let events: string[];

beforeEach(() => {
  script = scriptServer();
  time = createManualClock();
  events = [];
  server = createServerProcess({
    launch: script.launch,
    clock: time.clock,
    onReady: (url) => void events.push(url),
    onHung: (isHung) => void events.push(isHung ? 'hung' : 'not hung'),
    onFailed: ({ reason, port }) => void events.push(`failed: ${reason}${port === undefined ? '' : ` (${port})`}`),
  });
  server.start();
});

describe('the output of the server', () => {
  it('is understood in pieces, with other text around it', async () => {
    await script.lastRun.print('Tidying up…\nTonearm is listen');
    await script.lastRun.print('ing on http://127.0.0.1:4747\r\nCreate your account\n');
    expect(events).toEqual(['http://127.0.0.1:4747']);
  });
});

describe('the set-up token', () => {
  it('is asked for each time, so that it is gone with the first account', async () => {
    expect(await server.setupToken()).toBeUndefined();
    script.setupToken = 'K38W-CIA';
    expect(await server.setupToken()).toBe('K38W-CIA');
    await script.lastRun.end();
    expect(await server.setupToken()).toBeUndefined();
  });
});

describe('a server that does not answer', () => {
  const advanceSeconds = async (count: number): Promise<void> => {
    for (let second = 0; second < count; second += 1) await time.advance(1_000);
  };

  it('is reported within five seconds, and again when it answers', async () => {
    await script.lastRun.print(LISTENING_LINE);
    await advanceSeconds(30);
    expect(events).toEqual(['http://127.0.0.1:4747']);
    script.lastRun.isHung = true;
    await advanceSeconds(5);
    expect(events.slice(1)).toEqual(['hung']);
    script.lastRun.isHung = false;
    await advanceSeconds(1);
    expect(events.slice(1)).toEqual(['hung', 'not hung']);
  });

  it('may be ended, and is then restarted like one that died', async () => {
    await script.lastRun.print(LISTENING_LINE);
    server.endHung();
    expect(script.lastRun.requests).toEqual([]);
    script.lastRun.isHung = true;
    await advanceSeconds(5);
    server.endHung();
    expect(script.lastRun.requests).toEqual(['kill']);
    await script.lastRun.end();
    await time.advance(500);
    expect(script.runs).toHaveLength(2);
    await advanceSeconds(30);
    expect(events.slice(1)).toEqual(['hung', 'not hung']);
  });

  it('is not reported because the computer slept', async () => {
    await script.lastRun.print(LISTENING_LINE);
    script.lastRun.isHung = true;
    await time.advance(8 * 3_600_000);
    script.lastRun.isHung = false;
    await advanceSeconds(5);
    expect(events).toEqual(['http://127.0.0.1:4747']);
  });

  it('has two minutes at its start, to bring a large database up to date', async () => {
    script.lastRun.isHung = true;
    await advanceSeconds(110);
    expect(events).toEqual([]);
    await advanceSeconds(20);
    expect(events).toEqual(['hung']);
  });

  it('does not keep the app from quitting', async () => {
    await script.lastRun.print(LISTENING_LINE);
    script.lastRun.isHung = true;
    await advanceSeconds(5);
    void server.stop();
    await time.advance(1);
    expect(script.lastRun.requests).toEqual(['stop', 'kill']);
  });
});

describe('restart', () => {
  const dieAfterReady = async () => {
    await script.lastRun.print(LISTENING_LINE);
    await script.lastRun.end();
  };

  it('waits twice as long each time, at most 30 seconds, and stops after the eighth', async () => {
    for (const pause of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      const runCount = script.runs.length;
      await dieAfterReady();
      await time.advance(pause - 1);
      expect(script.runs).toHaveLength(runCount);
      await time.advance(1);
      expect(script.runs).toHaveLength(runCount + 1);
    }
    await script.lastRun.complains('tonearm: the database is damaged.\n');
    await dieAfterReady();
    expect(events.at(-1)).toBe('failed: the database is damaged.');
    await time.advance(3_600_000);
    expect(script.runs).toHaveLength(9);
  });

  it('starts counting again after the server has been up for a minute', async () => {
    await dieAfterReady();
    await time.advance(500);
    await script.lastRun.print(LISTENING_LINE);
    await time.advance(60_000);
    await script.lastRun.end();
    await time.advance(500);
    expect(script.runs).toHaveLength(3);
  });

  it('continues when a restarted server ends before it listens', async () => {
    await dieAfterReady();
    await time.advance(500);
    await script.lastRun.end();
    await time.advance(1_000);
    await script.lastRun.print(LISTENING_LINE);
    expect(events).toEqual(['http://127.0.0.1:4747', 'http://127.0.0.1:4747']);
  });

  it('does not happen to a server that never listened', async () => {
    await script.lastRun.end();
    await time.advance(60_000);
    expect(script.runs).toHaveLength(1);
    expect(events).toEqual(['failed: The server stopped without an error message.']);
  });

  it('names the port that another program uses', async () => {
    await script.lastRun.sendMessage({ kind: 'failed', reason: 'Port 4747 is in use.', port: 4_747 });
    await script.lastRun.end();
    expect(events).toEqual(['failed: Port 4747 is in use. (4747)']);
    server.start(['--port', '4748']);
    expect(script.lastRun.args).toEqual(['--port', '4748']);
  });
});

describe('a requested restart', () => {
  it('starts at once when the server has ended, and once for several requests', async () => {
    await script.lastRun.print(LISTENING_LINE);
    const [firstRestart, secondRestart] = [server.restart(), server.restart()];
    expect(script.lastRun.requests).toEqual(['stop']);
    await script.lastRun.end();
    expect(script.runs).toHaveLength(2);
    await script.lastRun.print('Tonearm is listening on http://127.0.0.1:4848\n');
    await Promise.all([firstRestart, secondRestart]);
    expect(events).toEqual(['http://127.0.0.1:4747', 'http://127.0.0.1:4848']);
  });

  it('does not wait for one that never ends', async () => {
    await script.lastRun.print(LISTENING_LINE);
    void server.restart();
    await time.advance(10_000);
    expect(script.lastRun.requests).toEqual(['stop', 'kill']);
    await script.lastRun.end();
    expect(script.runs).toHaveLength(2);
  });

  it('with a setting with which it cannot listen reports that, and is not repeated', async () => {
    await script.lastRun.print(LISTENING_LINE);
    const restarting = server.restart();
    await script.lastRun.end();
    await script.lastRun.complains('tonearm: port 80 is taken.\n');
    await script.lastRun.end();
    await restarting;
    await time.advance(60_000);
    expect([script.runs.length, events.at(-1)]).toEqual([2, 'failed: port 80 is taken.']);
  });

  it('does not happen when the app quits meanwhile', async () => {
    await script.lastRun.print(LISTENING_LINE);
    const restarting = server.restart();
    const stopping = server.stop();
    await restarting;
    await script.lastRun.end();
    await stopping;
    expect(script.runs).toHaveLength(1);
  });
});

describe('stop', () => {
  it('during the pause before a restart cancels the restart', async () => {
    await script.lastRun.print(LISTENING_LINE);
    await script.lastRun.end();
    await server.stop();
    await time.advance(60_000);
    expect(script.runs).toHaveLength(1);
  });

  it('resolves when the server has ended, and is not an error', async () => {
    const stopping = server.stop();
    await script.lastRun.end();
    await stopping;
    await time.advance(60_000);
    expect(script.lastRun.requests).toEqual(['stop']);
    expect(events).toEqual([]);
  });

  it('is final', async () => {
    const stopping = server.stop();
    await script.lastRun.end();
    await stopping;
    server.start();
    await waitForTurn();
    expect(script.runs).toHaveLength(1);
  });
});
