// Whether a track goes out as it is or in another format, and in which one. Pure.
import { fittingBitrate, isProfileName, PROFILES, type ProfileName, type TranscodeOrder } from '../media/transcode.ts';

/** What a caller asked for. */
export interface Wish {
  /** `raw` is the original, whatever else is wished; an unknown one is the default. */
  format?: string | undefined;
  /** kbps; 0 is no limit. */
  maxBitrateKbps?: number | undefined;
  startMs?: number | undefined;
  channels?: number | undefined;
  sampleRateHz?: number | undefined;
}

export interface Source {
  format: string | null;
  codec: string | null;
  bitrateKbps: number | null;
}

/** Every player plays it. */
const USUAL: ProfileName = 'mp3';

/** `original` also when nothing can be transcoded. */
export function chooseAudio(source: Source, wish: Wish, canTranscode: boolean): 'original' | TranscodeOrder {
  const { format, maxBitrateKbps: limit = 0, startMs = 0, channels, sampleRateHz } = wish;
  if (!canTranscode || format === 'raw') return 'original';
  const isTooWide = limit > 0 && (source.bitrateKbps ?? Infinity) > limit;
  const profile = format === undefined ? USUAL : isProfileName(format) ? format : USUAL;
  const isOther = format !== undefined && !isSame(source, profile);
  if (!isOther && !isTooWide && startMs === 0 && channels === undefined && sampleRateHz === undefined)
    return 'original';
  const wanted = limit > 0 ? limit : upTo(source.bitrateKbps, profile);
  return { profile, bitrateKbps: fittingBitrate(profile, wanted), startMs, channels, sampleRateHz };
}

/** The default bitrate, or that of the source when it is lower. */
const upTo = (sourceKbps: number | null, profile: ProfileName): number | undefined => {
  const usual = fittingBitrate(profile, undefined);
  return sourceKbps !== null && sourceKbps < usual ? sourceKbps : usual;
};

/** AAC alone and in MP4 are the same to players that ask for either. */
function isSame({ format, codec }: Source, profile: ProfileName): boolean {
  const isAac = profile === 'aac' || profile === 'm4a';
  if (isAac) return format === 'aac' || (format === 'm4a' && (codec === null || /aac/i.test(codec)));
  return format === PROFILES[profile].extension;
}

/** Size of the response: duration times bitrate. Undefined when the size depends on the music. */
export function estimatedBytes(
  { profile, bitrateKbps, startMs }: TranscodeOrder,
  durationMs: number | null,
): number | undefined {
  return durationMs === null || bitrateKbps === 0 || !PROFILES[profile]
    ? undefined
    : Math.round((Math.max(0, durationMs - startMs) * bitrateKbps) / 8);
}
