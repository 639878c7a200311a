// Listens to the server's events. Reconnects with backoff, or at once on request.
import type { Clock } from './clock.ts';
import { createSseParser, type ServerEvent } from './sse-parser.ts';
import { ServerError, type ServerClient } from './server-client.ts';

interface ServerEventsDeps {
  client: Pick<ServerClient, 'openEvents'>;
  clock: Clock;
  /** Called on connection. The server sends missed events again as far as it keeps them. */
  onOpen(): void;
  onEvent(event: ServerEvent): void;
  /**
   * Called when the connection was lost or could not be opened. `isSetUp` is false while no account exists to connect
   * as.
   */
  onLost(isSetUp: boolean): void;
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

export function createServerEvents({ client, clock, onOpen, onEvent, onLost }: ServerEventsDeps) {
  let line: AbortController | undefined;
  let cancelPause = (): void => undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let lastId: string | undefined;

  function connect(): void {
    disconnect();
    const ownController = (line = new AbortController());
    void listen(ownController.signal)
      .catch((error: unknown) => error)
      .then((error) => {
        if (line !== ownController) return; // the stream was reconnected or closed in the meantime
        line = undefined;
        onLost(!(error instanceof ServerError && error.status === 409));
        cancelPause = clock.after(pauseMs, connect);
        pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
      });
  }

  async function listen(signal: AbortSignal): Promise<void> {
    const { body } = await client.openEvents(signal, lastId);
    if (!body) return;
    pauseMs = FIRST_PAUSE_MS;
    onOpen();
    const parse = createSseParser((event) => {
      lastId = event.id ?? lastId;
      onEvent(event);
    });
    const decoder = new TextDecoder();
    for await (const piece of body) parse(decoder.decode(piece, { stream: true }));
  }

  function disconnect(): void {
    cancelPause();
    line?.abort();
    line = undefined;
  }

  return {
    connect(): void {
      pauseMs = FIRST_PAUSE_MS;
      connect();
    },
    disconnect,
    isConnected: (): boolean => line !== undefined,
  };
}
