// Grouping of pairs of matching tracks.
import { expect, test } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import { groupTracks, type Pair } from '../../../server/enrichment/duplicate-groups.ts';

test.each([
  { what: 'without pairs there is no group', seconds: [100, 100], pairs: [], groups: [] },
  { what: 'a pair is a group', seconds: [100, 101], pairs: [[1, 2]], groups: [[1, 2]] },
  {
    what: 'pairs that share a track are one group',
    seconds: [100, 101, 102, 103],
    pairs: [
      [1, 2],
      [4, 3],
      [2, 3],
    ],
    groups: [[1, 2, 3, 4]],
  },
  {
    what: 'pairs that share none are separate groups',
    seconds: [100, 101, 102, 103],
    pairs: [
      [1, 3],
      [2, 4],
    ],
    groups: [
      [1, 3],
      [2, 4],
    ],
  },
  { what: 'tracks that differ by 7 s may be together', seconds: [100, 107], pairs: [[1, 2]], groups: [[1, 2]] },
  { what: 'tracks that differ by more are not, though paired', seconds: [100, 107.001], pairs: [[1, 2]], groups: [] },
  {
    what: 'a chain that becomes too long is cut',
    seconds: [100, 105, 110, 115],
    pairs: [
      [1, 2],
      [2, 3],
      [3, 4],
    ],
    groups: [
      [1, 2],
      [3, 4],
    ],
  },
  {
    what: 'the order of ids and lengths is not the same',
    seconds: [115, 110, 105, 100],
    pairs: [
      [1, 2],
      [2, 3],
      [3, 4],
    ],
    groups: [
      [3, 4],
      [1, 2],
    ],
  },
  {
    what: 'tracks marked as different are not in one group',
    seconds: [100, 100],
    pairs: [[1, 2]],
    apart: [[1, 2]],
    groups: [],
  },
  {
    what: 'nor through a third one',
    seconds: [100, 100, 100],
    pairs: [
      [1, 2],
      [2, 3],
    ],
    apart: [[1, 3]],
    groups: [[1, 2]],
  },
  { what: 'a pair with a missing track is ignored', seconds: [100], pairs: [[1, 9]], groups: [] },
  {
    what: 'a repeated pair counts once',
    seconds: [100, 100],
    pairs: [
      [1, 2],
      [1, 2],
    ],
    groups: [[1, 2]],
  },
])('$what', ({ seconds, pairs, apart = [], groups }) => {
  const lengths = seconds.map((s, i) => ({ trackId: (i + 1) as TrackId, durationMs: s * 1_000 }));
  expect(groupTracks(lengths, pairs as unknown as Pair[], apart as unknown as Pair[])).toEqual(groups);
});
