import { beforeEach, describe, expect, it } from 'vitest';
import { createServerProcess, type ServerProcess } from '../../../main/server-process.ts';
import { scriptServer, stillClock, turn } from './scripted-server.ts';

const LISTENING = 'Tonearm is listening on http://127.0.0.1:4747\n';

let script: ReturnType<typeof scriptServer>;
let time: ReturnType<typeof stillClock>;
let server: ServerProcess;
let heard: string[];

beforeEach(() => {
  script = scriptServer();
  time = stillClock();
  heard = [];
  server = createServerProcess({
    launch: script.launch,
    clock: time.clock,
    onReady: (url) => void heard.push(url),
    onFailed: (reason) => void heard.push(`failed: ${reason}`),
  });
  server.start();
});

describe('what it prints', () => {
  it('is understood in pieces, whatever else stands around it', async () => {
    await script.run.says('Tidying up…\nTonearm is listen');
    await script.run.says(
      'ing on http://127.0.0.1:4747\r\nSetup token: K38W-CIA\nCreate your account at http://127.0.0.1:4747/setup?token=K38W-CIA\n',
    );
    expect(heard).toEqual(['http://127.0.0.1:4747']);
    expect(server.setupToken()).toBe('K38W-CIA');
  });

  it('holds no token when the accounts are made', async () => {
    await script.run.says(LISTENING);
    expect(server.setupToken()).toBeUndefined();
  });

  it('is forgotten with the run that printed it', async () => {
    await script.run.says(`${LISTENING}Setup token: first\n`);
    await script.run.ends();
    expect(server.setupToken()).toBeUndefined();
  });
});

describe('restart', () => {
  const dieAfterReady = async () => {
    await script.run.says(LISTENING);
    await script.run.ends();
  };

  it('waits twice as long each time, 30 seconds at most, and gives up after the eighth', async () => {
    for (const pause of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      const before = script.runs.length;
      await dieAfterReady();
      await time.advance(pause - 1);
      expect(script.runs).toHaveLength(before);
      await time.advance(1);
      expect(script.runs).toHaveLength(before + 1);
    }
    await script.run.complains('tonearm: the database is damaged.\n');
    await dieAfterReady();
    expect(heard.at(-1)).toBe('failed: the database is damaged.');
    await time.advance(3_600_000);
    expect(script.runs).toHaveLength(9);
  });

  it('counts from the beginning after the server has been up for a minute', async () => {
    await dieAfterReady();
    await time.advance(500);
    await script.run.says(LISTENING);
    await time.advance(60_000);
    await script.run.ends();
    await time.advance(500);
    expect(script.runs).toHaveLength(3);
  });

  it('goes on when one of the restarts ends before it listens', async () => {
    await dieAfterReady();
    await time.advance(500);
    await script.run.ends();
    await time.advance(1_000);
    await script.run.says(LISTENING);
    expect(heard).toEqual(['http://127.0.0.1:4747', 'http://127.0.0.1:4747']);
  });

  it('does not happen to a server that never listened', async () => {
    await script.run.ends();
    await time.advance(60_000);
    expect(script.runs).toHaveLength(1);
    expect(heard).toEqual(['failed: The server ended without saying why.']);
  });
});

describe('a restart that somebody asked for', () => {
  it('begins at once when it has ended, and is one however often it is asked for', async () => {
    await script.run.says(LISTENING);
    const [first, second] = [server.restart(), server.restart()];
    expect(script.run.asked).toEqual(['stop']);
    await script.run.ends();
    expect(script.runs).toHaveLength(2);
    await script.run.says('Tonearm is listening on http://127.0.0.1:4848\n');
    await Promise.all([first, second]);
    expect(heard).toEqual(['http://127.0.0.1:4747', 'http://127.0.0.1:4848']);
  });

  it('does not wait for one that never ends', async () => {
    await script.run.says(LISTENING);
    void server.restart();
    await time.advance(10_000);
    expect(script.run.asked).toEqual(['stop', 'kill']);
    await script.run.ends();
    expect(script.runs).toHaveLength(2);
  });

  it('into a setting with which it cannot listen says so, and tries no further', async () => {
    await script.run.says(LISTENING);
    const restart = server.restart();
    await script.run.ends();
    await script.run.complains('tonearm: port 80 is taken.\n');
    await script.run.ends();
    await restart;
    await time.advance(60_000);
    expect([script.runs.length, heard.at(-1)]).toEqual([2, 'failed: port 80 is taken.']);
  });

  it('is no restart when the app quits meanwhile', async () => {
    await script.run.says(LISTENING);
    const restart = server.restart();
    const stopped = server.stop();
    await restart;
    await script.run.ends();
    await stopped;
    expect(script.runs).toHaveLength(1);
  });
});

describe('stop', () => {
  it('during the pause before a restart calls the restart off', async () => {
    await script.run.says(LISTENING);
    await script.run.ends();
    await server.stop();
    await time.advance(60_000);
    expect(script.runs).toHaveLength(1);
  });

  it('resolves when the server has ended, and is no failure', async () => {
    const stopped = server.stop();
    await script.run.ends();
    await stopped;
    await time.advance(60_000);
    expect(script.run.asked).toEqual(['stop']);
    expect(heard).toEqual([]);
  });

  it('is final', async () => {
    const stopped = server.stop();
    await script.run.ends();
    await stopped;
    server.start();
    await turn();
    expect(script.runs).toHaveLength(1);
  });
});
