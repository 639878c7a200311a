// Why a track could not be identified, in words for the person who looks at it. Pure.
import type { StepOutcome } from './steps.ts';

interface Outcomes {
  tags: StepOutcome<unknown>;
  fingerprint: StepOutcome<unknown>;
  lookup: StepOutcome<readonly unknown[]>;
}

/** What the tags lack, and what became of the look-up. */
export function whyNotIdentified(
  { tags, fingerprint, lookup }: Outcomes,
  has: { title: boolean; artist: boolean },
): string {
  return `${tagsSentence(tags, has)} ${soundSentence(fingerprint, lookup)}`;
}

function tagsSentence(tags: StepOutcome<unknown>, { title, artist }: { title: boolean; artist: boolean }): string {
  if (tags.outcome === 'failed') return `Its tags could not be read (${lower(tags.reason)}).`;
  if (!title && !artist) return 'Its tags name neither title nor artist.';
  return title ? 'Its tags name no artist.' : 'Its tags name no title.';
}

function soundSentence(fingerprint: StepOutcome<unknown>, lookup: StepOutcome<readonly unknown[]>): string {
  if (lookup.outcome === 'done')
    return lookup.value.length === 0 ? 'There is no match for its sound.' : 'What it sounds like has no name either.';
  if (lookup.outcome === 'skipped' && fingerprint.outcome !== 'failed')
    return `It was not looked up: ${lookup.reason}.`;
  if (fingerprint.outcome === 'failed') return `It could not be known by its sound: ${lower(fingerprint.reason)}.`;
  const again = lookup.outcome === 'failed' && lookup.isPassing ? ' It is tried again later.' : '';
  return `It could not be looked up: ${lower(lookup.reason)}.${again}`;
}

/** A sentence put inside another one; a name such as MusicBrainz stays as it is. */
const lower = (sentence: string): string =>
  (/^[A-Z][a-z]+(?![A-Za-z])/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence).replace(
    /\.$/,
    '',
  );
