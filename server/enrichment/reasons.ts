// Describes why a track could not be identified, as a text for people.
import type { StepOutcome } from './steps.ts';

interface Outcomes {
  tags: StepOutcome<unknown>;
  fingerprint: StepOutcome<unknown>;
  lookup: StepOutcome<readonly unknown[]>;
}

/** Returns a text that names what the tags lack, and the result of the lookup. */
export function whyNotIdentified(
  { tags, fingerprint, lookup }: Outcomes,
  namedFields: { title: boolean; artist: boolean },
): string {
  return `${tagsSentence(tags, namedFields)} ${soundSentence(fingerprint, lookup)}`;
}

function tagsSentence(tags: StepOutcome<unknown>, { title, artist }: { title: boolean; artist: boolean }): string {
  if (tags.outcome === 'failed') return `Its tags could not be read (${lowerFirst(tags.reason)}).`;
  if (!title && !artist) return 'Its tags name neither title nor artist.';
  return title ? 'Its tags name no artist.' : 'Its tags name no title.';
}

function soundSentence(fingerprint: StepOutcome<unknown>, lookup: StepOutcome<readonly unknown[]>): string {
  if (lookup.outcome === 'done')
    return lookup.value.length === 0 ? 'Its fingerprint has no match.' : 'The match of its fingerprint has no title.';
  if (lookup.outcome === 'skipped' && fingerprint.outcome !== 'failed')
    return `It was not looked up: ${lookup.reason}.`;
  if (fingerprint.outcome === 'failed')
    return `Its fingerprint could not be computed: ${lowerFirst(fingerprint.reason)}.`;
  const hint = lookup.outcome === 'failed' && lookup.isPassing ? ' It will be retried later.' : '';
  return `It could not be looked up: ${lowerFirst(lookup.reason)}.${hint}`;
}

/** Converts the first letter to lower case for use inside a sentence; a name such as MusicBrainz keeps its capitals. */
const lowerFirst = (sentence: string): string =>
  (/^[A-Z][a-z]+(?![A-Za-z])/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence).replace(
    /\.$/,
    '',
  );
