// Whether a track goes out as it is or in another format, and in which one. Pure.
import { ACCOUNT_LIMITS } from '../db/rights.ts';
import { AppError } from '../errors.ts';
import { isLosslessCodec, playsInBrowsers } from '../media/audio-formats.ts';
import {
  bitratesOf,
  fittingBitrate,
  isProfileName,
  PROFILES,
  type ProfileName,
  type TranscodeOrder,
} from '../media/transcode.ts';

/** Wished by the pages: the original where all browsers play it. */
export const PLAYABLE = 'playable';

/** What a caller asked for. */
export interface Wish {
  /** `raw` is the original, whatever else is wished; `playable` what browsers play; an unknown one is the default. */
  format?: string | undefined;
  /** kbps; 0 is no limit. */
  maxBitrateKbps?: number | undefined;
  startMs?: number | undefined;
  channels?: number | undefined;
  sampleRateHz?: number | undefined;
  /** Converted in any case, also into the format that it is in: the player was promised that. */
  isPromised?: boolean;
}

export interface Source {
  format: string | null;
  codec: string | null;
  bitrateKbps: number | null;
}

/** No browser plays the sample rates of DSD. */
const DSD_AS_HZ = 96_000;

/** A wish for what browsers play, as one for a format or, where they play the original, for none. */
export function withFormat({ format, codec }: Source, wish: Wish): Wish {
  if (wish.format !== PLAYABLE) return wish;
  const { format: _, ...others } = wish;
  if (playsInBrowsers(format, codec?.toLowerCase() ?? null)) return others;
  if (!isLosslessCodec(format, codec?.toLowerCase() ?? null)) return { ...others, format: USUAL };
  return { ...others, format: 'flac', ...(codec === 'dsd' && { sampleRateHz: DSD_AS_HZ }) };
}

/** Every player plays it. */
const USUAL: ProfileName = 'mp3';

/**
 * `original` also when nothing can be transcoded. Nothing goes out above `mostKbps`, the limit of the listener's
 * account, whatever was wished; throws `forbidden` where that cannot be kept.
 */
export function chooseAudio(
  source: Source,
  { format, maxBitrateKbps = 0, startMs = 0, channels, sampleRateHz, isPromised = false }: Wish,
  canTranscode: boolean,
  mostKbps: number | null = null,
): 'original' | TranscodeOrder {
  const isAbove = mostKbps !== null && (source.bitrateKbps ?? Infinity) > mostKbps;
  if (isAbove && !canTranscode) throw tooWide(mostKbps);
  if (!canTranscode || (format === 'raw' && !isAbove)) return 'original';
  const limit = Math.min(maxBitrateKbps > 0 ? maxBitrateKbps : Infinity, mostKbps ?? Infinity);
  const isTooWide = limit < Infinity && (source.bitrateKbps ?? Infinity) > limit;
  const asked = format !== undefined && isProfileName(format) ? format : USUAL;
  const profile = mostKbps === null || keepsTo(asked, mostKbps) ? asked : USUAL;
  const isOther = isPromised || (format !== undefined && !isSame(source, profile));
  if (!isOther && !isTooWide && startMs === 0 && channels === undefined && sampleRateHz === undefined)
    return 'original';
  const wanted = limit < Infinity ? limit : upTo(source.bitrateKbps, profile);
  return { profile, bitrateKbps: fittingBitrate(profile, wanted), startMs, channels, sampleRateHz };
}

/** Formats without a bitrate, and those that begin above it, do not. */
const keepsTo = (profile: ProfileName, mostKbps: number): boolean => {
  const kbps = fittingBitrate(profile, mostKbps);
  return kbps > 0 && kbps <= mostKbps;
};

const { name } = ACCOUNT_LIMITS.maxBitrateKbps;
const tooWide = (mostKbps: number): AppError =>
  new AppError(
    'forbidden',
    `Your account may listen at up to ${mostKbps} kbps (${name}), and this server has no ffmpeg to convert to that.`,
    { fields: [{ field: name, message: `is ${mostKbps}` }] },
  );

/** The default bitrate, or that of the source when it is lower. */
const upTo = (sourceKbps: number | null, profile: ProfileName): number | undefined => {
  const usual = fittingBitrate(profile, undefined);
  return sourceKbps !== null && sourceKbps < usual ? sourceKbps : usual;
};

/** AAC alone and in MP4 are the same to players that ask for either. An Ogg file may hold Vorbis, Opus or FLAC. */
function isSame({ format, codec }: Source, profile: ProfileName): boolean {
  const isAac = profile === 'aac' || profile === 'm4a';
  if (isAac) return format === 'aac' || (format === 'm4a' && (codec === null || /aac/i.test(codec)));
  if (format === 'ogg' && codec !== null) return codec.toLowerCase().includes(PROFILES[profile].codec);
  return format === PROFILES[profile].extension;
}

/** Size of the response where it is known before: duration times bitrate. */
export function estimatedBytes(
  { profile, bitrateKbps, startMs }: TranscodeOrder,
  durationMs: number | null,
): number | undefined {
  return durationMs === null || bitratesOf(profile)?.isConstant !== true
    ? undefined
    : Math.round((Math.max(0, durationMs - startMs) * bitrateKbps) / 8);
}
