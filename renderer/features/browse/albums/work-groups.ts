// Groups the tracks of a disc by their works.
import type { TrackOut, WorkOut } from '../../../api/routes.ts';

interface TrackGroup {
  /** Undefined for tracks that are no movements. */
  work: WorkOut | undefined;
  tracks: TrackOut[];
}

/** Returns consecutive tracks of the same work as one group, and all other tracks between them as groups too. */
export function groupByWork(tracks: readonly TrackOut[], works: readonly WorkOut[]): TrackGroup[] {
  const workOf = new Map(works.flatMap((work) => work.movements.map(({ track_id }) => [track_id, work] as const)));
  const groups: TrackGroup[] = [];
  for (const track of tracks) {
    const work = workOf.get(track.id);
    const lastGroup = groups.at(-1);
    if (lastGroup && lastGroup.work === work) lastGroup.tracks.push(track);
    else groups.push({ work, tracks: [track] });
  }
  return groups;
}

/** Returns the name of a track in its work, such as `II. Adagio`; undefined if the tags have only a number. */
export function movementName(work: WorkOut, trackId: number): string | undefined {
  const { name, number } = work.movements.find(({ track_id }) => track_id === trackId) ?? {};
  if (name == null) return undefined;
  // many taggers write the number into the name too
  return number == null || /^(?:[IVXLC]{1,8}|\d{1,4})[.:)]/i.test(name) ? name : `${toRoman(number)}. ${name}`;
}

const ROMAN_DIGITS: readonly (readonly [number, string])[] = [
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

/** Returns a number up to 399 in Roman digits, larger numbers in Arabic ones. */
export function toRoman(number: number): string {
  if (number > 399) return String(number);
  let rest = number;
  let text = '';
  for (const [value, digits] of ROMAN_DIGITS)
    while (rest >= value) {
      text += digits;
      rest -= value;
    }
  return text;
}
