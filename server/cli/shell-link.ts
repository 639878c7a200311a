// The private channel to the desktop shell, when one started this server: it asks the server to stop (Windows has no
// signals), and for tickets that sign its own windows in. Nothing of it is in the arguments, the environment, a file or
// the log.
import { z } from 'zod';

const Asked = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('stop') }),
  z.strictObject({ kind: z.literal('ticket'), id: z.int() }),
]);

interface Channel {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** The shell is gone without a word. */
  onGone(listener: () => void): void;
}

interface ShellLinkDeps {
  stop(): void;
  issueTicket(): string;
}

/**
 * Electron's utility process talks through `parentPort`, plain Node through the channel of `spawn`. Undefined when
 * nobody is there.
 */
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

/** What was asked before this waits in the channel. */
export function answerShell({ stop, issueTicket }: ShellLinkDeps): void {
  const channel = findChannel();
  let isShell = false; // other parents talk too, and may go
  channel?.onMessage((message) => {
    const asked = Asked.safeParse(message);
    if (!asked.success) return;
    isShell = true;
    if (asked.data.kind === 'stop') stop();
    else channel.post({ kind: 'ticket', id: asked.data.id, ticket: issueTicket() });
  });
  channel?.onGone(() => {
    if (isShell) stop();
  }); // or it would keep the port and the data folder from the next one
}
