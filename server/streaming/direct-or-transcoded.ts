// Decides whether a track is sent as it is or in another format, and in which one. Pure functions.
import { ACCOUNT_LIMITS } from '../db/rights.ts';
import { AppError } from '../errors.ts';
import { formatFacts, isLosslessCodec, playsInBrowsers, type FormatFacts } from '../media/audio-formats.ts';
import { fittingBitrate, isProfileName, PROFILES, type ProfileName, type TranscodeOrder } from '../media/transcode.ts';

/** Format that the pages request: the original if all browsers play it. */
export const PLAYABLE = 'playable';

/** The audio that a caller requests. */
export interface AudioRequest {
  /**
   * `raw` is the original, whatever else is requested; `playable` is a format that browsers play; unknown formats mean
   * the default.
   */
  format?: string | undefined;
  /** Bit rate limit in kbps; 0 means no limit. */
  maxBitrateKbps?: number | undefined;
  startMs?: number | undefined;
  channels?: number | undefined;
  sampleRateHz?: number | undefined;
  /**
   * True to convert in any case, even into the format that the track has: the player was told to expect a conversion.
   */
  forceConversion?: boolean;
}

export interface SourceAudio {
  format: string | null;
  codec: string | null;
  bitrateKbps: number | null;
}

/** Sample rate for DSD, whose own sample rates no browser plays. */
const DSD_OUTPUT_HZ = 96_000;

/** Replaces the format `playable` by a real format, or by none if browsers play the original. */
export function resolveFormat({ format, codec }: SourceAudio, request: AudioRequest): AudioRequest {
  if (request.format !== PLAYABLE) return request;
  const { format: _, ...otherOptions } = request;
  if (playsInBrowsers(format, codec?.toLowerCase() ?? null)) return otherOptions;
  if (!isLosslessCodec(format, codec?.toLowerCase() ?? null)) return { ...otherOptions, format: DEFAULT_PROFILE };
  return { ...otherOptions, format: 'flac', ...(codec === 'dsd' && { sampleRateHz: DSD_OUTPUT_HZ }) };
}

/** The default format, which every player can play. */
const DEFAULT_PROFILE: ProfileName = 'mp3';

/**
 * Chooses the original or a conversion. Returns `original` also when nothing can be transcoded. Nothing is sent above
 * `maxKbps`, the limit of the listener's account, whatever was requested; throws `forbidden` if that limit cannot be
 * met.
 */
export function chooseAudio(
  source: SourceAudio,
  { format, maxBitrateKbps = 0, startMs = 0, channels, sampleRateHz, forceConversion = false }: AudioRequest,
  canTranscode: boolean,
  maxKbps: number | null = null,
): 'original' | TranscodeOrder {
  const exceedsAccountLimit = maxKbps !== null && (source.bitrateKbps ?? Infinity) > maxKbps;
  if (exceedsAccountLimit && !canTranscode) throw accountLimitError(maxKbps);
  if (!canTranscode || (format === 'raw' && !exceedsAccountLimit)) return 'original';
  const limit = Math.min(maxBitrateKbps > 0 ? maxBitrateKbps : Infinity, maxKbps ?? Infinity);
  const exceedsLimit = limit < Infinity && (source.bitrateKbps ?? Infinity) > limit;
  const requestedProfile = format !== undefined && isProfileName(format) ? format : DEFAULT_PROFILE;
  const profile = maxKbps === null || fitsLimit(requestedProfile, maxKbps) ? requestedProfile : DEFAULT_PROFILE;
  const needsConversion =
    forceConversion || (format !== undefined && !isOwnSuffix(source, format) && !isSameFormat(source, profile));
  if (!needsConversion && !exceedsLimit && startMs === 0 && channels === undefined && sampleRateHz === undefined)
    return 'original';
  const targetKbps = limit < Infinity ? limit : defaultKbps(source.bitrateKbps, profile);
  return { profile, bitrateKbps: fittingBitrate(profile, targetKbps), startMs, channels, sampleRateHz };
}

/**
 * Returns whether the profile can meet the limit; false for formats without a bit rate and for formats whose lowest bit
 * rate is above the limit.
 */
const fitsLimit = (profile: ProfileName, maxKbps: number): boolean => {
  const kbps = fittingBitrate(profile, maxKbps);
  return kbps > 0 && kbps <= maxKbps;
};

const { name } = ACCOUNT_LIMITS.maxBitrateKbps;
const accountLimitError = (maxKbps: number): AppError =>
  new AppError(
    'forbidden',
    `Your account may listen at up to ${maxKbps} kbps (${name}), and this server has no ffmpeg to convert to that.`,
    { fields: [{ field: name, message: `is ${maxKbps}` }] },
  );

/** Returns the default bit rate, or that of the source if that is lower. */
const defaultKbps = (sourceKbps: number | null, profile: ProfileName): number | undefined => {
  const profileKbps = fittingBitrate(profile, undefined);
  return sourceKbps !== null && sourceKbps < profileKbps ? sourceKbps : profileKbps;
};

/** Returns whether a client names the format by a suffix of the file: it plays the file, whatever its codec. */
const isOwnSuffix = ({ format }: SourceAudio, suffix: string): boolean => {
  const { extensions = [], alsoVideo = [] }: Partial<FormatFacts> = formatFacts(format) ?? {};
  return suffix === format || extensions.includes(suffix) || alsoVideo.includes(suffix);
};

/**
 * Returns whether the source has the format of the profile. Players treat AAC alone and in MP4 as the same format. An
 * Ogg file may contain Vorbis, Opus or FLAC.
 */
function isSameFormat({ format, codec }: SourceAudio, profile: ProfileName): boolean {
  const isAac = profile === 'aac' || profile === 'm4a';
  if (isAac) return format === 'aac' || (format === 'm4a' && (codec === null || /aac/i.test(codec)));
  if (format === 'ogg' && codec !== null) return codec.toLowerCase().includes(PROFILES[profile].codec);
  return format === PROFILES[profile].extension;
}
