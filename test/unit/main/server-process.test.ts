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

describe('the output of the server', () => {
  it('is understood in pieces, with other text around it', async () => {
    await script.run.says('Tidying up…\nTonearm is listen');
    await script.run.says(
      'ing on http://127.0.0.1:4747\r\nSetup token: K38W-CIA\nCreate your account at http://127.0.0.1:4747/setup?token=K38W-CIA\n',
    );
    expect(heard).toEqual(['http://127.0.0.1:4747']);
    expect(server.setupToken()).toBe('K38W-CIA');
  });

  it('has no token when there are accounts', async () => {
    await script.run.says(LISTENING);
    expect(server.setupToken()).toBeUndefined();
  });

  it('is discarded with the process', async () => {
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

  it('waits twice as long each time, at most 30 seconds, and stops after the eighth', async () => {
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

  it('starts counting again after the server has been up for a minute', async () => {
    await dieAfterReady();
    await time.advance(500);
    await script.run.says(LISTENING);
    await time.advance(60_000);
    await script.run.ends();
    await time.advance(500);
    expect(script.runs).toHaveLength(3);
  });

  it('continues when a restarted server ends before it listens', async () => {
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

describe('a requested restart', () => {
  it('starts at once when the server has ended, and once for several requests', async () => {
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

  it('with a setting with which it cannot listen reports that, and is not repeated', async () => {
    await script.run.says(LISTENING);
    const restart = server.restart();
    await script.run.ends();
    await script.run.complains('tonearm: port 80 is taken.\n');
    await script.run.ends();
    await restart;
    await time.advance(60_000);
    expect([script.runs.length, heard.at(-1)]).toEqual([2, 'failed: port 80 is taken.']);
  });

  it('does not happen when the app quits meanwhile', async () => {
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
  it('during the pause before a restart cancels the restart', async () => {
    await script.run.says(LISTENING);
    await script.run.ends();
    await server.stop();
    await time.advance(60_000);
    expect(script.runs).toHaveLength(1);
  });

  it('resolves when the server has ended, and is not an error', async () => {
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
