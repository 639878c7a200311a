import { expect, it } from 'vitest';
import { describeWatchProblem } from '../../../server/watch/music-folder-watch.ts';

it.each([
  ['ENOSPC', /watch (\d+|no more) folders.*Raise fs\.inotify\.max_user_watches with sysctl/],
  ['EMFILE', /allows this account (\d+|no more) watches.*Raise fs\.inotify\.max_user_instances with sysctl/],
  ['TOO_MANY_FOLDERS', /^The music folder has more than 20000 folders, too many to watch\.$/],
  ['EIO', /^The system cannot watch the music folder \(broken\)\.$/],
])('%s has a message that says what to do', (code, words) => {
  expect(describeWatchProblem(code, 'broken', 20_000)).toMatch(words);
});
