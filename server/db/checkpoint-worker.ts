// The thread of checkpoints.ts: moves the write-ahead log's pages into the database, as far as no reader needs them.
import { answerFromDatabase } from './reader-loop.ts';

export type CheckpointAnswer = null;

answerFromDatabase<'checkpoint', CheckpointAnswer>(
  (client) => () => {
    client.pragma('wal_checkpoint(PASSIVE)');
    return null;
  },
  { readonly: false },
);
