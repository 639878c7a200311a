// The IPC channel to the desktop shell, if it started this server. The shell asks the server to stop (Windows has no
// signals) and for tickets that sign in its windows; those must not be in arguments, the environment, files or the log.
import { z } from 'zod';

const Request = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('stop') }),
  z.strictObject({ kind: z.literal('ticket'), id: z.int() }),
]);

interface Channel {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** The shell's process has ended. */
  onGone(listener: () => void): void;
}

interface ShellLinkDeps {
  stop(): void;
  issueTicket(): string;
}

/** `parentPort` in Electron's utility process, the channel of `spawn` in plain Node; undefined without a parent. */
function findChannel(): Channel | undefined {
  const { parentPort } = process as {
    parentPort?: {
      on(event: 'message', listener: (message: { data: unknown }) => void): void;
      postMessage(message: unknown): void;
    };
  };
  if (parentPort)
    return {
      post: (message) => parentPort.postMessage(message),
      onMessage: (listener) => parentPort.on('message', ({ data }) => listener(data)),
      onGone: () => undefined,
    };
  if (!process.send) return undefined;
  return {
    post: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on('message', listener),
    onGone: (listener) => void process.once('disconnect', listener),
  };
}

export const isUnderShell = (): boolean => findChannel() !== undefined;

/** Requests that were sent before this call wait in the channel. */
export function answerShell({ stop, issueTicket }: ShellLinkDeps): void {
  const channel = findChannel();
  let isShell = false; // other parent processes may send messages too, and end
  channel?.onMessage((message) => {
    const request = Request.safeParse(message);
    if (!request.success) return;
    isShell = true;
    if (request.data.kind === 'stop') stop();
    else channel.post({ kind: 'ticket', id: request.data.id, ticket: issueTicket() });
  });
  channel?.onGone(() => {
    if (isShell) stop(); // else it would block the port and the data folder for the next start
  });
}
