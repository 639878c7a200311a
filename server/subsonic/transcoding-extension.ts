// Decides from the capabilities of a client whether it can play a track directly, or to which format the track is
// transcoded (extension transcoding). Pure functions. Bit rates are in bit/s, as in the protocol.
import { z } from 'zod';
import {
  bitratesOf,
  fittingBitrate,
  fittingSampleRate,
  PROFILES,
  type Profile,
  type ProfileName,
} from '../media/transcode.ts';
import { formatFacts, isLosslessCodec } from '../media/audio-formats.ts';

const names = z.array(z.string().max(40)).max(50);
const count = z.number().min(0).max(1e12).optional();
const Limitation = z.object({
  name: z.string().max(40),
  comparison: z.enum(['Equals', 'NotEquals', 'LessThanEqual', 'GreaterThanEqual']),
  values: names,
  required: z.boolean().default(false),
});

/** The capabilities of a client, from the request body. */
export const ClientInfo = z.object({
  name: z.string().max(200),
  platform: z.string().max(200),
  maxAudioBitrate: count,
  maxTranscodingAudioBitrate: count,
  directPlayProfiles: z
    .array(z.object({ containers: names, audioCodecs: names, protocols: names, maxAudioChannels: count }))
    .max(50)
    .default([]),
  transcodingProfiles: z
    .array(
      z.object({
        container: z.string().max(40),
        audioCodec: z.string().max(40),
        protocol: z.string().max(40),
        maxAudioChannels: count,
      }),
    )
    .max(50)
    .default([]),
  codecProfiles: z
    .array(
      z.object({
        type: z.string().max(40),
        name: z.string().max(40),
        limitations: z.array(Limitation).max(20).default([]),
      }),
    )
    .max(50)
    .default([]),
});
export type ClientInfo = z.output<typeof ClientInfo>;

interface StreamDetails {
  protocol: string;
  container: string;
  codec: string;
  audioChannels?: number;
  audioBitrate?: number;
  audioSamplerate?: number;
  audioBitdepth?: number;
}
export interface SourceTrack {
  format: string | null;
  codec: string | null;
  bitrateKbps: number | null;
  channels: number | null;
  sampleRateHz: number | null;
  bitDepth: number | null;
}

/** The content of `transcodeParams`. */
export interface DecidedTranscode {
  profile: ProfileName;
  bitrateKbps: number;
  channels?: number;
  sampleRateHz?: number;
}

interface Decision {
  canDirectPlay: boolean;
  reasons: string[];
  source: StreamDetails;
  target?: { stream: StreamDetails; transcode: DecidedTranscode };
}

export function decide(track: SourceTrack, client: ClientInfo, canTranscode: boolean): Decision {
  const source = detailsOf(track);
  const reasons = [...directReasons(source, client), ...limitReasons(source, client)];
  if (reasons.length === 0 || !canTranscode) return { canDirectPlay: reasons.length === 0, reasons, source };
  const isLossless = isLosslessCodec(track.format, (track.codec ?? track.format)?.toLowerCase() ?? null);
  const target = targetOf(source, client, isLossless);
  return { canDirectPlay: false, reasons, source, ...(target && { target }) };
}

function detailsOf({ format, codec, bitrateKbps, channels, sampleRateHz, bitDepth }: SourceTrack): StreamDetails {
  const container = format ?? 'mp3';
  return {
    protocol: 'http',
    container: formatFacts(container)?.container ?? container,
    codec: codecName(container, codec),
    ...(channels !== null && { audioChannels: channels }),
    ...(bitrateKbps !== null && { audioBitrate: bitrateKbps * 1_000 }),
    ...(sampleRateHz !== null && { audioSamplerate: sampleRateHz }),
    ...(bitDepth !== null && { audioBitdepth: bitDepth }),
  };
}

/** Returns the codec's name as clients spell it. */
function codecName(format: string, codec: string | null): string {
  if (format === 'm4a') return /alac/i.test(codec ?? '') ? 'alac' : 'aac';
  if (format === 'ogg') return /opus/i.test(codec ?? '') ? 'opus' : /flac/i.test(codec ?? '') ? 'flac' : 'vorbis';
  return formatFacts(format)?.samples === 'plain' ? 'pcm' : format;
}

const isSameName = (a: string, b: string): boolean =>
  a.toLowerCase() === b.toLowerCase() ||
  (a.toLowerCase() === 'm4a' && b.toLowerCase() === 'mp4') ||
  (a.toLowerCase() === 'mp4' && b.toLowerCase() === 'm4a');
/** Returns whether the list contains the name; an empty list allows everything. */
const allows = (list: readonly string[], name: string): boolean =>
  list.length === 0 || list.some((entry) => entry === '*' || isSameName(entry, name));

function directReasons(source: StreamDetails, { directPlayProfiles, maxAudioBitrate = 0 }: ClientInfo): string[] {
  const reasons: string[] = [];
  if (maxAudioBitrate > 0 && (source.audioBitrate ?? 0) > maxAudioBitrate) reasons.push('audio bitrate not supported');
  if (directPlayProfiles.length === 0) return reasons;
  const containers = directPlayProfiles.filter(
    (profile) => allows(profile.containers, source.container) && allows(profile.protocols, 'http'),
  );
  const codecs = containers.filter((profile) => allows(profile.audioCodecs, source.codec));
  if (containers.length === 0) reasons.push('container not supported');
  else if (codecs.length === 0) reasons.push('audio codec not supported');
  else if (
    !codecs.some(
      ({ maxAudioChannels = 0 }) => maxAudioChannels === 0 || (source.audioChannels ?? 0) <= maxAudioChannels,
    )
  )
    reasons.push('audio channels not supported');
  return reasons;
}

const STREAM_VALUES: Record<string, (stream: StreamDetails) => number | undefined> = {
  audioChannels: (stream) => stream.audioChannels,
  audioBitrate: (stream) => stream.audioBitrate,
  audioSamplerate: (stream) => stream.audioSamplerate,
  audioBitdepth: (stream) => stream.audioBitdepth,
};
type LimitationIn = ClientInfo['codecProfiles'][number]['limitations'][number];

/**
 * Returns whether the stream meets the limitation. An unknown value meets it, unless the client requires the
 * limitation.
 */
function isMet({ name, comparison, values, required: isRequired }: LimitationIn, stream: StreamDetails): boolean {
  const value = STREAM_VALUES[name]?.(stream);
  const limits = values.map(Number).filter((limit) => Number.isFinite(limit));
  if (value === undefined || limits.length === 0) return !isRequired;
  if (comparison === 'Equals') return limits.includes(value);
  if (comparison === 'NotEquals') return !limits.includes(value);
  return comparison === 'LessThanEqual' ? value <= Math.max(...limits) : value >= Math.min(...limits);
}

const limitationsOf = (codec: string, { codecProfiles }: ClientInfo): LimitationIn[] =>
  codecProfiles
    .filter(({ type, name }) => type === 'AudioCodec' && (name === '*' || isSameName(name, codec)))
    .flatMap(({ limitations }) => limitations);

const LIMITATION_TEXTS: Record<string, string> = {
  audioChannels: 'audio channels',
  audioBitrate: 'audio bitrate',
  audioSamplerate: 'audio samplerate',
  audioBitdepth: 'audio bitdepth',
  audioProfile: 'audio profile',
};
const limitReasons = (source: StreamDetails, client: ClientInfo): string[] =>
  limitationsOf(source.codec, client)
    .filter((limitation) => !isMet(limitation, source))
    .map(({ name }) => `${LIMITATION_TEXTS[name] ?? name} not supported`);

/**
 * Returns the first possible transcoding profile of the client. A lossy file is not transcoded to a lossless format.
 */
function targetOf(source: StreamDetails, client: ClientInfo, isLossless: boolean): Decision['target'] {
  for (const { container, audioCodec, protocol, maxAudioChannels = 0 } of client.transcodingProfiles) {
    const profile = protocol === '' || isSameName(protocol, 'http') ? profileOf(container, audioCodec) : undefined;
    if (!profile || (!isLossless && fittingBitrate(profile, undefined) === 0)) continue;
    const limitations = limitationsOf(PROFILES[profile].codec, client);
    const isLossy = bitratesOf(profile) !== undefined;
    const channelLimits = [maxAudioChannels, ...upperLimits(limitations, 'audioChannels')];
    const channels = smallestLimit(source.audioChannels, isLossy ? MAX_LOSSY_CHANNELS : 0, ...channelLimits);
    const usualRate = source.audioSamplerate && fittingSampleRate(profile, source.audioSamplerate);
    const maxHz = smallestLimit(usualRate, ...upperLimits(limitations, 'audioSamplerate'));
    // encoders refuse sample rates that they do not support
    const rate = maxHz && (bitratesOf(profile)?.sampleRatesHz ?? [maxHz]).findLast((hz) => hz <= maxHz);
    const maxBitrate = smallestLimit(
      undefined,
      client.maxTranscodingAudioBitrate ?? 0,
      client.maxAudioBitrate ?? 0,
      ...upperLimits(limitations, 'audioBitrate'),
    );
    const fittingKbps = fittingBitrate(profile, maxBitrate === undefined ? undefined : Math.floor(maxBitrate / 1_000));
    const bitrateKbps =
      channels === 1 && isLossy ? Math.min(fittingKbps, bitratesOf(profile)?.maxMonoKbps ?? 0) : fittingKbps;
    const stream: StreamDetails = {
      protocol: 'http',
      container: PROFILES[profile].container,
      codec: PROFILES[profile].codec,
      ...(channels !== undefined && { audioChannels: channels }),
      ...(bitrateKbps > 0 && { audioBitrate: bitrateKbps * 1_000 }),
      ...(rate !== undefined && { audioSamplerate: rate }),
      ...(!isLossy && { audioBitdepth: depthOf(profile, source) }),
    };
    if (maxHz !== undefined && rate === undefined) continue;
    if (maxBitrate !== undefined && (stream.audioBitrate ?? pcmBits(stream)) > maxBitrate) continue;
    if (!limitations.every((limitation) => isMet(limitation, stream))) continue;
    return {
      stream,
      transcode: {
        profile,
        bitrateKbps,
        ...(channels !== undefined && channels !== source.audioChannels && { channels }),
        ...(rate !== undefined && rate !== usualRate && { sampleRateHz: rate }),
      },
    };
  }
  return undefined;
}

/** Lossy formats are encoded with two channels at most. */
const MAX_LOSSY_CHANNELS = 2;

const CD_BITS = 16;
/** Returns the bit depth of the output; DSD has one bit only as an input. */
const depthOf = (profile: ProfileName, { audioBitdepth = CD_BITS }: StreamDetails): number =>
  profile === 'wav' ? CD_BITS : audioBitdepth === 1 ? 24 : Math.max(CD_BITS, audioBitdepth);

/** Returns the PCM bit rate in bit/s, an upper bound for lossless formats. */
const pcmBits = ({ audioSamplerate = 0, audioChannels = 0, audioBitdepth = 0 }: StreamDetails): number =>
  audioSamplerate * audioChannels * audioBitdepth || Infinity;

const profileOf = (container: string, codec: string): ProfileName | undefined =>
  (Object.entries(PROFILES) as [ProfileName, Profile][]).find(
    ([name, profile]) =>
      (isSameName(profile.container, container) || isSameName(profile.extension, container)) &&
      (codec === '' || isSameName(profile.codec, codec) || isSameName(name, codec)),
  )?.[0];

const upperLimits = (limitations: LimitationIn[], name: string): number[] =>
  limitations
    .filter(
      (limitation) =>
        limitation.name === name && (limitation.comparison === 'LessThanEqual' || limitation.comparison === 'Equals'),
    )
    .map(({ values }) => Math.max(...values.map(Number).filter((value) => Number.isFinite(value)), 0));

/** Returns the smallest of the values; 0 means no limit. */
function smallestLimit(value: number | undefined, ...limits: number[]): number | undefined {
  const values = [value, ...limits].filter((candidate) => candidate !== undefined && candidate > 0) as number[];
  return values.length === 0 ? undefined : Math.min(...values);
}
