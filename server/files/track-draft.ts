// Converts what was read from a file to the fields of a track. Pure.
import { AUDIO_EXTENSIONS } from '../media/audio-formats.ts';
import { isCustomTag } from '../db/custom-tags.ts';
import { MORE_TAG_LIST, ONE_VALUE_TAGS, type MoreTags } from '../db/more-tags.ts';
import { fieldsFrom, joinValues, type KnownFields } from '../db/track-fields.ts';
import { MAX_NAME_CHARACTERS } from '../media/limits.ts';
import { toOneLine } from '../media/text.ts';
import type { Origin } from '../db/schema.ts';
import { USUAL_CHARSET } from '../media/charset.ts';
import type { AudioRead, Tags } from '../media/types.ts';
import { isUnmarked } from '../media/unmarked-text.ts';
import type { TrackAudio, TrackIdentity } from '../library/tracks/track-values.ts';

interface PathName {
  title: string;
  trackNumber: number | undefined;
  discNumber: number | undefined;
}

/** A name that begins with the numbers of disc and track: `1-02 Title`, `1.02 - Title`. */
const DISC_AND_TRACK_NAME = /^(0?[1-9]|[12]\d)[-.](\d{2,3})(?:\s*[-–—.)]\s*|\s+)(?=[^\s\d])(.+)$/;
/**
 * A name that begins with a track number: `07 - Title`, `7. Title`, `07 Title`. Not `99 Luftballons`, `24-7`, `4.33`,
 * where the number may belong to the title.
 */
const TRACK_NAME = /^(?:(\d{1,3})(?:\s*[-–—.)]+\s|\s+[-–—]|[-–—.)](?!\d))|(0\d{1,2})\s)\s*(\S.*)$/;
/** `Track 7`, or a number alone; the whole name is also the title. */
const NUMBER_NAME = /^(?:track\s*)?(\d{1,3})$/i;

/** A folder of a disc, such as `CD1` or `Disc 2 - Live`. */
const DISC_FOLDER = /(?:^|\/)(?:cd|dis[ck])[\s_.-]*(0?[1-9]|[1-9]\d)(?!\w)[^/]*\/[^/]*$/i;

/** Longer than any file name, even with escapes. */
const MAX_NAME_CHARS = 2_000;

/**
 * Returns title and numbers from a path such as `Artist/Album/1-02 - Title.flac`, for files without them in their tags.
 */
export function parseTrackPath(sourceId: string): PathName {
  const fileName = toOneLine(sourceId.slice(sourceId.lastIndexOf('/') + 1), MAX_NAME_CHARS);
  const name = replaceUnderscores(withoutExtension(fileName)) || fileName;
  const [, disc, trackAfterDisc, titleAfterDisc] = DISC_AND_TRACK_NAME.exec(name) ?? [];
  if (titleAfterDisc)
    return { title: titleAfterDisc, trackNumber: toPositive(trackAfterDisc), discNumber: toPositive(disc) };
  const [, separatedNumber, paddedNumber, title] = TRACK_NAME.exec(name) ?? [];
  if (title) return { title, trackNumber: toPositive(separatedNumber ?? paddedNumber), discNumber: undefined };
  return { title: name, trackNumber: toPositive(NUMBER_NAME.exec(name)?.[1]), discNumber: undefined };
}

/** Removes the extension only if it is one of audio files: `01. Song` and `Mr. X` have none. */
function withoutExtension(file: string): string {
  const dot = file.lastIndexOf('.');
  return AUDIO_EXTENSIONS.has(file.slice(dot + 1).toLowerCase()) && dot >= 0 ? file.slice(0, dot) : file;
}

/** Replaces underscores by spaces in names that contain no spaces. */
const replaceUnderscores = (name: string): string => (/\s/.test(name) ? name : name.replaceAll('_', ' ')).trim();

const toPositive = (digits: string | undefined): number | undefined => Number(digits) || undefined;

/** Returns the fields in the tags. Lists are joined to one text. */
const fieldsOf = (tags: Tags): KnownFields =>
  fieldsFrom((field) => {
    const value = tags[field];
    return Array.isArray(value) ? toOneLine(joinValues(value), MAX_NAME_CHARACTERS) : value;
  }) as KnownFields;

/** Returns the tags that are stored as they are in the file; null if the file has none of them. */
function moreTagsOf(tags: Tags): MoreTags | null {
  let moreTags: Record<string, string | string[]> | null = null;
  for (const name of MORE_TAG_NAMES) {
    const value = tags[name];
    if (value !== undefined) (moreTags ??= {})[name] = value;
  }
  for (const name in tags) {
    const values = isCustomTag(name) ? tags[name] : undefined;
    if (values !== undefined) (moreTags ??= {})[name] = values;
  }
  return moreTags as MoreTags | null;
}
const MORE_TAG_NAMES = [...ONE_VALUE_TAGS, ...MORE_TAG_LIST];

export function toIdentity(content: AudioRead, sourceId: string): TrackIdentity {
  const { tags, charset } = content;
  const path = tags.title === undefined ? parseTrackPath(sourceId) : undefined;
  const disc = path?.discNumber ?? toPositive(DISC_FOLDER.exec(sourceId)?.[1]);
  const isDiscFromPath = tags.discNumber === undefined && disc !== undefined;
  return {
    title: tags.title ?? path?.title ?? sourceId,
    artists: tags.artists.length > 0 ? tags.artists : tags.artist ? [tags.artist] : [],
    artist: tags.artist,
    albumArtists: tags.albumArtists,
    albumArtist: tags.albumArtist ?? (tags.albumArtists.length > 0 ? tags.albumArtists.join(', ') : undefined),
    album: tags.album,
    genres: tags.genres,
    ...fieldsOf(tags),
    trackNumber: tags.trackNumber ?? path?.trackNumber,
    discNumber: tags.discNumber ?? disc,
    compilation: tags.compilation,
    recordingMbid: tags.recordingMbid,
    releaseGroupMbid: tags.releaseGroupMbid,
    releaseMbid: tags.releaseMbid,
    acoustidId: tags.acoustidId,
    artistSort: tags.artistSort,
    albumArtistSort: tags.albumArtistSort,
    artistMbids: tags.artistMbids,
    albumArtistMbids: tags.albumArtistMbids,
    lyrics: tags.lyrics ?? null,
    chapters: tags.chapters ?? null,
    more: moreTagsOf(tags),
    listening: tags.listening ?? null,
    charset,
    provenance:
      path || charset || isDiscFromPath
        ? {
            ...charsetOrigins(content),
            ...(path && {
              title: 'path',
              ...(tags.trackNumber === undefined && path.trackNumber !== undefined && { trackNumber: 'path' }),
            }),
            ...(isDiscFromPath && { discNumber: 'path' }),
          }
        : undefined,
  };
}

/**
 * Returns the origins of fields whose text was decoded with a charset that the file does not declare, unless it is the
 * usual charset.
 */
function charsetOrigins({ unmarked, charset, isCharsetChosen }: AudioRead): Record<string, Origin> {
  if (!unmarked || charset === undefined) return {};
  const texts: Record<string, string | undefined> = {
    ...fieldsFrom((field) => {
      const value = unmarked[field];
      return Array.isArray(value) ? value.join('') : value?.toString();
    }),
    title: unmarked.title,
    artist: [unmarked.artist, ...unmarked.artists].join(''),
    album: [unmarked.album, unmarked.albumArtist].join(''),
    genre: unmarked.genres.join(''),
  };
  const decodedFields = charset === USUAL_CHARSET ? [] : Object.keys(texts).filter((field) => isUnmarked(texts[field]));
  return {
    ...Object.fromEntries(decodedFields.map((field) => [field, 'charset' as const])),
    ...(isCharsetChosen && { charset: 'manual' }),
  };
}

export interface StoredAudio {
  storageUri: string;
  contentHash: string | null;
  audioHash: string | null;
  sizeBytes: number;
}

export function toAudio(
  { facts, tags, pictures }: AudioRead,
  { storageUri, contentHash, audioHash, sizeBytes }: StoredAudio,
): TrackAudio {
  const gain = tags.replayGain;
  return {
    durationMs: Math.round(facts.durationMs),
    sizeBytes,
    format: facts.format,
    codec: facts.codec,
    bitrateKbps: Math.round(facts.bitrateKbps),
    sampleRateHz: facts.sampleRateHz,
    bitDepth: facts.bitDepth ?? null,
    channels: facts.channels,
    encoderDelay: facts.encoderDelay ?? null,
    encoderPadding: facts.encoderPadding ?? null,
    trackGainDb: gain?.trackGainDb ?? null,
    trackPeak: gain?.trackPeak ?? null,
    albumGainDb: gain?.albumGainDb ?? null,
    albumPeak: gain?.albumPeak ?? null,
    hasPicture: pictures.length > 0,
    storageUri,
    contentHash,
    audioHash,
    availability: 'available',
    sectionStart: null,
    sectionEnd: null,
  };
}
