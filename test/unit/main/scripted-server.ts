// A server process that a test controls, and a clock that the test moves.
import { PassThrough } from 'node:stream';
import type { Clock } from '../../../main/clock.ts';
import type { ServerChild, ToServer } from '../../../main/server-process.ts';

/** Waits until the written lines have been read. */
export const waitForTurn = async (): Promise<void> => {
  for (let times = 0; times < 3; times += 1) await new Promise((resolve) => setImmediate(resolve));
};

interface ScriptedRun {
  /** Names of the requests that arrived over the socket, and `kill`. */
  requests: string[];
  /** The arguments of the command line. */
  args: readonly string[];
  /** True while the process answers no pings. */
  isHung: boolean;
  /** Sends a response over the socket. */
  sendMessage(message: unknown): Promise<void>;
  print(text: string): Promise<void>;
  complains(text: string): Promise<void>;
  end(fault?: Error): Promise<void>;
}

export function scriptServer() {
  const runs: ScriptedRun[] = [];
  const script = {
    runs,
    get lastRun(): ScriptedRun {
      const lastRun = runs.at(-1);
      if (!lastRun) throw new Error('The server has not been started.');
      return lastRun;
    },
    /** The setup token that the server sends; null when there is an account. */
    setupToken: null as string | null,
    launch(args: readonly string[]): ServerChild {
      const [stdout, stderr, requests] = [new PassThrough(), new PassThrough(), [] as string[]];
      let onMessage: (message: unknown) => void = () => undefined;
      let onEnd: (fault?: Error) => void = () => undefined;
      const write = (stream: PassThrough) => async (text: string) => {
        stream.write(text);
        await waitForTurn();
      };
      const scriptedRun: ScriptedRun = {
        requests,
        args,
        isHung: false,
        async sendMessage(message) {
          onMessage(message);
          await waitForTurn();
        },
        print: write(stdout),
        complains: write(stderr),
        async end(fault) {
          onEnd(fault);
          await waitForTurn();
        },
      };
      runs.push(scriptedRun);
      return {
        stdout,
        stderr,
        send: (message: ToServer) => {
          if (message.kind === 'ping') {
            if (!scriptedRun.isHung) onMessage({ kind: 'pong' });
          } else if (message.kind === 'setup_token') {
            onMessage({ kind: 'answer', id: message.id, value: script.setupToken });
          } else requests.push(message.kind);
        },
        kill: () => void requests.push('kill'),
        onMessage: (listener) => {
          onMessage = listener;
        },
        onEnd: (listener) => {
          onEnd = listener;
        },
      };
    },
  };
  return script;
}

export function createManualClock() {
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const timers = new Map<() => void, number>();
  const clock: Clock = {
    now: () => new Date(nowMs),
    after(ms, callback) {
      timers.set(callback, nowMs + ms);
      return () => void timers.delete(callback);
    },
  };
  return {
    clock,
    /** Moves the clock, and runs the timers that become due. */
    async advance(ms: number): Promise<void> {
      nowMs += ms;
      for (const [callback, dueMs] of timers) {
        if (dueMs > nowMs) continue;
        timers.delete(callback);
        callback();
      }
      await waitForTurn();
    },
  };
}
