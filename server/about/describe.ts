// Combines what the services say about one subject. A service that fails does not affect the texts of the others, and
// former texts stay in the place of those that could not be requested.
import type { About, AboutText, SubjectKind } from '../db/schema.ts';
import { ServiceError } from '../outbound/service-client.ts';
import type { Subjects } from './musicbrainz.ts';
import { LANGUAGES } from './texts.ts';
import type { Wikimedia } from './wikimedia.ts';

interface Description {
  /** Null: MusicBrainz does not know the subject, or could not be reached and no former facts exist. */
  facts: About | null;
  /** The error of the first service that could not be reached; undefined if all answered. */
  fault: ServiceError | undefined;
}

interface DescribeDeps {
  subjects: Pick<Subjects, 'find'>;
  wikimedia: Pick<Wikimedia, 'findItem' | 'findText'>;
}

/** Returns what the services say. Throws the reason of `signal` when the look-up is cancelled. */
export async function describe(
  { subjects, wikimedia }: DescribeDeps,
  { kind, mbid }: { kind: SubjectKind; mbid: string },
  previous: About | null,
  signal: AbortSignal,
): Promise<Description> {
  let fault: ServiceError | undefined;
  /** Returns undefined for a failed request, and stores its error in `fault`. */
  const tryWork = <T>(work: Promise<T>): Promise<{ value: T } | undefined> =>
    work.then(
      (value) => ({ value }),
      (error: unknown) => {
        if (!(error instanceof ServiceError)) throw error;
        fault ??= error;
        return undefined;
      },
    );

  const subjectLookup = await tryWork(subjects.find(kind, mbid, signal));
  if (!subjectLookup) return { facts: previous, fault };
  if (!subjectLookup.value) return { facts: null, fault };
  const { facts, ids } = subjectLookup.value;
  if (facts.wikidata === null) return { facts, fault };

  // the previous facts are reused only if they are about the same Wikidata item
  const reusable = previous?.wikidata === facts.wikidata ? previous : undefined;
  const wikidataAnswer = await tryWork(wikimedia.findItem(facts.wikidata, { kind, mbids: ids }, signal));
  if (!wikidataAnswer) return { facts: { ...facts, ...pick(reusable) }, fault };
  const item = wikidataAnswer.value;
  if (!item) return { facts: { ...facts, wikidata: null }, fault };
  const texts: AboutText[] = [];
  for (const language of LANGUAGES) {
    const title = item.articles.get(language);
    if (title === undefined) continue;
    const text = await tryWork(wikimedia.findText(language, title, [facts.wikidata, item.id], signal));
    const keptText = text ? text.value : reusable?.texts.find((previousText) => previousText.language === language);
    if (keptText) texts.push(keptText);
  }
  return { facts: { ...facts, files: item.files, category: item.category, texts }, fault };
}

const pick = (reusable: About | undefined): Pick<About, 'files' | 'category' | 'texts'> => ({
  files: reusable?.files ?? [],
  category: reusable?.category ?? null,
  texts: reusable?.texts ?? [],
});
