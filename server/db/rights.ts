// What an account may do, and its limits. Said here and nowhere else: the API and its document, the roles of Subsonic,
// the command line and the accounts page follow from it. A new right also needs its column in schema/accounts.ts, a
// migration and its texts in resources/languages/.
import { AppError } from '../errors.ts';
import { bitrateFromText, BYTES_SYNTAX, bytesFromText } from '../runtime/number-text.ts';

interface RightSpec {
  /** In SQL, in the API and on the command line. */
  name: string;
  /** Whether an account has it when nobody says otherwise. */
  isUsual: boolean;
  /** What Subsonic calls it. */
  role: string;
  /** For sentences: "Your account may not …". */
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

/** Each right with the value that is given for it. */
export function rightsFrom<V>(valueOf: (right: Right) => V): Record<Right, V> {
  const values = {} as Record<Right, V>;
  for (const right of RIGHT_LIST) values[right] = valueOf(right);
  return values;
}

/** Each right, by its name, with the value that is given for it. */
export function namedRightsFrom<V>(valueOf: (right: Right) => V): Record<RightName, V> {
  const values = {} as Record<RightName, V>;
  for (const right of RIGHT_LIST) values[RIGHTS[right].name] = valueOf(right);
  return values;
}

/** The rights that were given by name; the others are left out. */
export const givenRights = (namedRights: Partial<Record<RightName, boolean | undefined>>): Partial<Rights> =>
  Object.fromEntries(
    RIGHT_LIST.flatMap((right) => {
      const value = namedRights[RIGHTS[right].name];
      return value === undefined ? [] : [[right, value]];
    }),
  );

/** Where less is allowed than everything; null is no limit. `fromText` reads the command line, `takes` says what. */
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

/** What an administrator decides about an account. */
export type AccountTerms = { isSuperuser?: boolean | undefined } & Partial<Rights> & Partial<AccountLimits>;

/** Quota of accounts that people register themselves, in bytes. */
export const SELF_REGISTERED_QUOTA = 5_000_000_000;

export const USUAL_RIGHTS = rightsFrom((right): boolean => RIGHTS[right].isUsual);

export const refusal = (right: Right): AppError =>
  new AppError(
    'forbidden',
    `Your account may not ${RIGHTS[right].does} (${RIGHTS[right].name}). An administrator can allow it.`,
    { fields: [{ field: RIGHTS[right].name, message: 'is needed' }] },
  );
