// The walking thread: finds folders as `walk` does, and gives some at a time when it is asked for them.
import { answerQuestions } from '../runtime/answer-questions.ts';
import type { FolderBatch } from './compare-folder.ts';
import { openKnownFiles } from './known-files.ts';
import { walk, type WalkOptions } from './walk.ts';

export interface WalkOrder extends Omit<WalkOptions, 'known'> {
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

let found: Generator<FolderBatch> | undefined;

answerQuestions<WalkQuestion, WalkedFolders>(
  (question) => {
    if (question !== 'next') {
      found?.return(undefined); // a walk that was broken off
      found = foundFolders(question);
    }
    if (!found) throw new Error('no walk was begun');
    return bundleOf(found);
  },
  { onEnd: () => void found?.return(undefined) }, // closes the database
);

function* foundFolders({ databasePath, source, ...options }: WalkOrder): Generator<FolderBatch> {
  const known = openKnownFiles(databasePath, source, options.folders);
  try {
    yield* walk({ ...options, known });
  } finally {
    known.close();
  }
}

function bundleOf(folders: Generator<FolderBatch>): WalkedFolders {
  const batches: FolderBatch[] = [];
  for (let candidates = 0, unchanged = 0; ;) {
    const next = folders.next();
    if (next.done) return { batches, isLast: true };
    batches.push(next.value);
    candidates += next.value.candidates.length;
    unchanged += next.value.unchanged;
    if (candidates >= MAX_CANDIDATES || unchanged > MAX_UNCHANGED || batches.length >= MAX_FOLDERS)
      return { batches, isLast: false };
  }
}
