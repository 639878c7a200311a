// The walking thread: runs `walk` and returns a few folders each time it is asked.
import { answerQuestions } from '../../runtime/answer-questions.ts';
import type { FolderBatch } from './compare-folder.ts';
import { openKnownFiles } from './known-files.ts';
import { walk, type WalkOptions } from './walk.ts';

export interface WalkOrder extends Omit<WalkOptions, 'knownFiles'> {
  databasePath: string;
  source: string;
}
export type WalkQuestion = WalkOrder | 'next';
export interface WalkedFolders {
  batches: FolderBatch[];
  isLast: boolean;
}

const MAX_CANDIDATES = 400;
const MAX_FOLDERS = 2_000;
const MAX_UNCHANGED = 2_000;

let walkedFolders: Generator<FolderBatch> | undefined;

answerQuestions<WalkQuestion, WalkedFolders>(
  (question) => {
    if (question !== 'next') {
      walkedFolders?.return(undefined); // ends an earlier walk that was interrupted
      walkedFolders = walkFolders(question);
    }
    if (!walkedFolders) throw new Error('no walk was begun');
    return readBundle(walkedFolders);
  },
  { onEnd: () => void walkedFolders?.return(undefined) }, // also closes the database
);

function* walkFolders({ databasePath, source, ...options }: WalkOrder): Generator<FolderBatch> {
  const knownFiles = openKnownFiles(databasePath, source, options.folders);
  try {
    yield* walk({ ...options, knownFiles });
  } finally {
    knownFiles.close();
  }
}

function readBundle(folders: Generator<FolderBatch>): WalkedFolders {
  const batches: FolderBatch[] = [];
  for (let candidates = 0, unchangedCount = 0; ;) {
    const result = folders.next();
    if (result.done) return { batches, isLast: true };
    batches.push(result.value);
    candidates += result.value.candidates.length;
    unchangedCount += result.value.unchangedCount;
    if (candidates >= MAX_CANDIDATES || unchangedCount > MAX_UNCHANGED || batches.length >= MAX_FOLDERS)
      return { batches, isLast: false };
  }
}
