// Tags that are stored as the file has them, for clients that show them; each may have several values. Fields that are
// listed, filtered, edited or exported are in track-fields.ts.
import type { CustomTag } from './custom-tags.ts';

/** Where files store a tag, as in track-fields.ts. */
interface MoreTagNames {
  names: string;
  id3?: readonly string[];
  mp4?: readonly string[];
  /** MP4 atoms that contain an integer. */
  mp4Numbers?: readonly string[];
  common: readonly string[];
}

export const MORE_TAGS = {
  mood: { names: 'MOOD', id3: ['TMOO'], common: ['mood'] },
  grouping: {
    names: 'GROUPING|CONTENTGROUP',
    id3: ['GRP1', 'TIT1', 'TT1'],
    mp4: ['\xa9grp'],
    common: ['grouping'],
  },
  work: { names: 'WORK', mp4: ['\xa9wrk'], common: ['work'] },
  workMbid: { names: 'MUSICBRAINZ_WORKID|MUSICBRAINZ WORK ID', common: ['musicbrainz_workid'] },
  movement: { names: 'MOVEMENTNAME', id3: ['MVNM'], mp4: ['\xa9mvn'], common: ['movement'] },
  movementNumber: { names: 'MOVEMENT', id3: ['MVIN'], mp4Numbers: ['\xa9mvi'], common: [] },
  /** `0` if the title is to be shown instead of work and movement. */
  showMovement: { names: 'SHOWMOVEMENT', mp4Numbers: ['shwm'], common: ['showMovement'] },
  movementTotal: { names: 'MOVEMENTTOTAL', mp4Numbers: ['\xa9mvc'], common: ['movementTotal'] },
  advisory: { names: 'ITUNESADVISORY', mp4Numbers: ['rtng'], common: [] },
  releaseType: {
    names: 'RELEASETYPE|MUSICBRAINZ_ALBUMTYPE|MUSICBRAINZ ALBUM TYPE',
    common: ['releasetype'],
  },
  /** Describes the edition of an album, such as "Deluxe". */
  edition: {
    names: 'ALBUMVERSION|EDITION|MUSICBRAINZ_ALBUMCOMMENT|MUSICBRAINZ ALBUM COMMENT',
    common: [],
  },
  /** How the composers are filed, such as `Bach, Johann Sebastian`. */
  composerSort: {
    names: 'COMPOSERSORT|COMPOSERSORTORDER',
    id3: ['TSOC', 'TSC'],
    mp4: ['soco'],
    common: ['composersort'],
  },
  conductor: { names: 'CONDUCTOR', id3: ['TPE3', 'TP3'], mp4: ['\xa9con'], common: ['conductor'] },
  lyricist: { names: 'LYRICIST|WRITER', id3: ['TEXT', 'TXT'], common: ['lyricist'] },
  arranger: { names: 'ARRANGER', common: ['arranger'] },
  producer: { names: 'PRODUCER', common: ['producer'] },
  director: { names: 'DIRECTOR', common: [] },
  engineer: { names: 'ENGINEER', common: ['engineer'] },
  mixer: { names: 'MIXER', common: ['mixer'] },
  djmixer: { names: 'DJMIXER', common: ['djmixer'] },
  remixer: { names: 'REMIXER|MIXARTIST', id3: ['TPE4', 'TP4'], common: ['remixer'] },
  /** `Name (instrument)` */
  performer: { names: 'PERFORMER', common: [] },
} as const satisfies Record<string, MoreTagNames>;

export type MoreTag = keyof typeof MORE_TAGS;
export const MORE_TAG_LIST = Object.keys(MORE_TAGS) as MoreTag[];
const TAG_NAMES: Record<MoreTag, MoreTagNames> = MORE_TAGS;
export const namesOfMore = (tag: MoreTag): MoreTagNames => TAG_NAMES[tag];

/** Tags that name persons, in the order of the roles in OpenSubsonic. */
export const CREDIT_TAGS = [
  'conductor',
  'lyricist',
  'arranger',
  'producer',
  'director',
  'engineer',
  'mixer',
  'djmixer',
  'remixer',
  'performer',
] as const satisfies MoreTag[];

/** What a person did on a track. The composer is a field of the track (track-fields.ts). */
export const CREDIT_ROLES = ['composer', ...CREDIT_TAGS] as const;
export type CreditRole = (typeof CREDIT_ROLES)[number];

export type MoreTagValues = { [T in MoreTag | CustomTag]?: string[] };

/** The tags as they are stored. Tags that the file does not have are left out. */
export interface MoreTags extends MoreTagValues {
  titleSort?: string;
  /** The artist as written in an ID3v2.3 tag, if it was split at slashes. */
  slashedArtist?: string;
  albumSort?: string;
  discSubtitle?: string;
  /** Date of this release, `YYYY-MM` or `YYYY-MM-DD`. */
  date?: string;
  /** Date of the first release, in the same form as `date`. */
  originalDate?: string;
  /** The mbid of the album's release, in lower case. */
  releaseMbid?: string;
}

export const ONE_VALUE_TAGS = [
  'titleSort',
  'slashedArtist',
  'albumSort',
  'discSubtitle',
  'date',
  'originalDate',
  'releaseMbid',
] as const;

/**
 * Returns null if the tag does not say. iTunes writes 1 (or 4 in older files) for explicit, 2 for clean, 0 for unknown.
 */
export function isExplicit({ advisory }: MoreTags): boolean | null {
  const [value = ''] = advisory ?? [];
  return value === '1' || value === '4' ? true : value === '2' ? false : null;
}
