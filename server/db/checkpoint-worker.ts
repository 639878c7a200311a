// The thread of checkpoints.ts: moves what the write-ahead log holds into the database, as far as no reader needs it
// there.
import { answerQuestions } from './reader-loop.ts';

export type CheckpointAnswer = null;

answerQuestions<'checkpoint', CheckpointAnswer>(
  (client) => () => {
    client.pragma('wal_checkpoint(PASSIVE)');
    return null;
  },
  { readonly: false },
);
