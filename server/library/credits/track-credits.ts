// Who did what on a track, from the composers and the other tags that name people.
import { CREDIT_TAGS, type CreditRole, type MoreTags } from '../../db/more-tags.ts';
import { valuesOfList } from '../../db/track-fields.ts';
import { separateValues } from '../tracks/separate-values.ts';
import { identityKey } from '../tracks/sort-and-identity-keys.ts';

export interface TrackCredit {
  role: CreditRole;
  name: string;
  /** The name folded, by which a person is recognized. */
  nameKey: string;
  /** The name by which the person is filed, such as `Bach, Johann Sebastian`. */
  sortName: string;
  /** Instruments and voices of a performer, with commas between them. */
  instrument: string | null;
}

/** Limit of the credits of one track: an orchestra of 120 with its engineers has fewer. */
const MAX_CREDITS = 300;
const MAX_INSTRUMENT_CHARACTERS = 300;

/** Returns the credits of a track in the order of the roles. A person is named once for each role. */
export function creditsOf(composer: string | null | undefined, moreTags: MoreTags | null | undefined): TrackCredit[] {
  const credits = new Map<string, TrackCredit>();
  const add = (role: CreditRole, name: string, instrument: string | null, sortName = name): void => {
    const nameKey = identityKey(name);
    if (nameKey === '' || credits.size >= MAX_CREDITS) return;
    const key = `${role} ${nameKey}`;
    const credit = credits.get(key);
    if (!credit) credits.set(key, { role, name, nameKey, sortName, instrument });
    else if (instrument !== null) credit.instrument = joinInstruments(credit.instrument, instrument);
  };
  const composers = valuesOfList(composer ?? null);
  const composerSorts = separateValues(moreTags?.composerSort);
  composers.forEach((name, i) => {
    add('composer', name, null, composerSorts.length === composers.length ? composerSorts[i] : name);
  });
  if (moreTags)
    for (const role of CREDIT_TAGS)
      for (const value of moreTags[role] ?? []) {
        const { name, instrument } = role === 'performer' ? splitPerformer(value) : { name: value, instrument: null };
        add(role, name.trim(), instrument);
      }
  return [...credits.values()];
}

/**
 * Splits `Name (instrument)`. The instrument may itself have parentheses. A number is no instrument: it tells people of
 * one name apart.
 */
export function splitPerformer(value: string): { name: string; instrument: string | null } {
  const text = value.trim();
  const open = text.endsWith(')') ? matchingParenthesis(text) : -1;
  const instrument = text.slice(open + 1, -1).trim();
  if (open <= 0 || instrument === '' || /^\d+$/.test(instrument)) return { name: text, instrument: null };
  return { name: text.slice(0, open).trim(), instrument: instrument.slice(0, MAX_INSTRUMENT_CHARACTERS) };
}

/** Returns the position of the parenthesis that the last character closes; -1 if there is none. */
function matchingParenthesis(text: string): number {
  for (let i = text.length - 1, depth = 0; i >= 0; i--) {
    if (text[i] === ')') depth++;
    else if (text[i] === '(' && --depth === 0) return i;
  }
  return -1;
}

function joinInstruments(instruments: string | null, added: string): string {
  if (instruments === null) return added;
  const joined = `${instruments}, ${added}`;
  return instruments.split(', ').includes(added) || joined.length > MAX_INSTRUMENT_CHARACTERS ? instruments : joined;
}
