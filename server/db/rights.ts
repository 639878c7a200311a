// The rights and limits of accounts. They are listed only here: the API and its document, the roles of Subsonic, the
// command line and the accounts page are derived from this list. A new right also needs its column in
// schema/accounts.ts, a migration and its texts in resources/languages/.
import { AppError } from '../errors.ts';
import { bitrateFromText, BYTES_SYNTAX, bytesFromText } from '../runtime/number-text.ts';

interface RightSpec {
  /** The name in SQL, in the API and on the command line. */
  name: string;
  /** Whether new accounts have the right by default. */
  isUsual: boolean;
  /** The name of the role in Subsonic. */
  role: string;
  /** The end of the sentence "Your account may not …". */
  does: string;
}

export const RIGHTS = {
  canEdit: { name: 'can_edit', isUsual: false, role: 'coverArtRole', does: 'edit or delete what others added' },
  canUpload: {
    name: 'can_upload',
    isUsual: true,
    role: 'uploadRole',
    does: 'upload music or download it from a catalogue',
  },
  canDownload: { name: 'can_download', isUsual: true, role: 'downloadRole', does: 'save music files' },
  canShare: { name: 'can_share', isUsual: true, role: 'shareRole', does: 'share music by a link' },
  canJukebox: { name: 'can_jukebox', isUsual: true, role: 'jukeboxRole', does: 'play music on another device' },
  canPodcast: { name: 'can_podcast', isUsual: false, role: 'podcastRole', does: 'add and remove podcasts' },
} as const satisfies Record<string, RightSpec>;

export type Right = keyof typeof RIGHTS;
export type RightName = (typeof RIGHTS)[Right]['name'];
export type Rights = Record<Right, boolean>;

export const RIGHT_LIST = Object.keys(RIGHTS) as Right[];

/** Returns an object with a value for each right. */
export function rightsFrom<V>(valueOf: (right: Right) => V): Record<Right, V> {
  const values = {} as Record<Right, V>;
  for (const right of RIGHT_LIST) values[right] = valueOf(right);
  return values;
}

/** Returns an object with a value for the name of each right. */
export function namedRightsFrom<V>(valueOf: (right: Right) => V): Record<RightName, V> {
  const values = {} as Record<RightName, V>;
  for (const right of RIGHT_LIST) values[RIGHTS[right].name] = valueOf(right);
  return values;
}

/** Returns the rights that are set in `namedRights`; the others are left out. */
export const givenRights = (namedRights: Partial<Record<RightName, boolean | undefined>>): Partial<Rights> =>
  Object.fromEntries(
    RIGHT_LIST.flatMap((right) => {
      const value = namedRights[RIGHTS[right].name];
      return value === undefined ? [] : [[right, value]];
    }),
  );

/**
 * The limits of an account; null means no limit. `fromText` reads a value of the command line, `takes` describes the
 * allowed values.
 */
export const ACCOUNT_LIMITS = {
  maxBitrateKbps: {
    name: 'max_bitrate_kbps',
    least: 32,
    most: 10_000,
    fromText: bitrateFromText,
    takes: 'a whole number of kbit/s from 32 to 10000, such as 192 or 192k',
  },
  quotaBytes: {
    name: 'quota_bytes',
    least: 0,
    most: Number.MAX_SAFE_INTEGER,
    fromText: bytesFromText,
    takes: BYTES_SYNTAX,
  },
} as const;

export type AccountLimit = keyof typeof ACCOUNT_LIMITS;
export type AccountLimits = Record<AccountLimit, number | null>;

/** The properties of an account that an administrator sets. */
export type AccountTerms = { isSuperuser?: boolean | undefined } & Partial<Rights> & Partial<AccountLimits>;

/** Quota in bytes of accounts that people register themselves. */
export const SELF_REGISTERED_QUOTA = 5_000_000_000;

export const USUAL_RIGHTS = rightsFrom((right): boolean => RIGHTS[right].isUsual);

export const refusal = (right: Right): AppError =>
  new AppError(
    'forbidden',
    `Your account may not ${RIGHTS[right].does} (${RIGHTS[right].name}). An administrator can allow it.`,
    { fields: [{ field: RIGHTS[right].name, message: 'is needed' }] },
  );
