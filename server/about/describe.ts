// What the services say of one subject, put together. One that fails does not spoil what the others said, and what was
// known before stays in the place of what could not be asked.
import type { About, AboutText, SubjectKind } from '../db/schema.ts';
import { ServiceError } from '../outbound/service-client.ts';
import type { Subjects } from './musicbrainz.ts';
import { LANGUAGES } from './texts.ts';
import type { Wikimedia } from './wikimedia.ts';

interface Description {
  /** Null: MusicBrainz has no such thing, or could not be asked and nothing was known. */
  facts: About | null;
  /** Something could not be asked. */
  fault: ServiceError | undefined;
}

interface DescribeDeps {
  subjects: Pick<Subjects, 'find'>;
  wikimedia: Pick<Wikimedia, 'findItem' | 'findText'>;
}

/** Throws the reason of `signal`. */
export async function describe(
  { subjects, wikimedia }: DescribeDeps,
  { kind, mbid }: { kind: SubjectKind; mbid: string },
  before: About | null,
  signal: AbortSignal,
): Promise<Description> {
  let fault: ServiceError | undefined;
  /** Undefined when it failed. */
  const tried = <T>(work: Promise<T>): Promise<{ value: T } | undefined> =>
    work.then(
      (value) => ({ value }),
      (error: unknown) => {
        if (!(error instanceof ServiceError)) throw error;
        fault ??= error;
        return undefined;
      },
    );

  const answer = await tried(subjects.find(kind, mbid, signal));
  if (!answer) return { facts: before, fault };
  if (!answer.value) return { facts: null, fault };
  const { facts, ids } = answer.value;
  if (facts.wikidata === null) return { facts, fault };

  // of another item, nothing is kept
  const known = before?.wikidata === facts.wikidata ? before : undefined;
  const found = await tried(wikimedia.findItem(facts.wikidata, { kind, mbids: ids }, signal));
  if (!found) return { facts: { ...facts, ...pick(known) }, fault };
  const item = found.value;
  if (!item) return { facts: { ...facts, wikidata: null }, fault };
  const texts: AboutText[] = [];
  for (const language of LANGUAGES) {
    const title = item.articles.get(language);
    if (title === undefined) continue;
    const text = await tried(wikimedia.findText(language, title, [facts.wikidata, item.id], signal));
    const kept = text ? text.value : known?.texts.find((one) => one.language === language);
    if (kept) texts.push(kept);
  }
  return { facts: { ...facts, files: item.files, category: item.category, texts }, fault };
}

const pick = (known: About | undefined): Pick<About, 'files' | 'category' | 'texts'> => ({
  files: known?.files ?? [],
  category: known?.category ?? null,
  texts: known?.texts ?? [],
});
