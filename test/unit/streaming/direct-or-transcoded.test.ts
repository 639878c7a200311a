import { describe, expect, it } from 'vitest';
import { PROFILE_NAMES, transcodeArguments } from '../../../server/media/transcode.ts';
import {
  chooseAudio,
  resolveFormat,
  type SourceAudio,
  type AudioRequest,
} from '../../../server/streaming/direct-or-transcoded.ts';

const FLAC_SOURCE: SourceAudio = { format: 'flac', codec: null, bitrateKbps: 900 };
const MP3: SourceAudio = { format: 'mp3', codec: null, bitrateKbps: 128 };
const ALAC_SOURCE: SourceAudio = { format: 'm4a', codec: 'ALAC', bitrateKbps: 800 };
const AAC_SOURCE: SourceAudio = { format: 'm4a', codec: 'AAC', bitrateKbps: 128 };
const OPUS_IN_OGG: SourceAudio = { format: 'ogg', codec: 'Opus', bitrateKbps: 96 };
const AIFF_SOURCE: SourceAudio = { format: 'aiff', codec: 'pcm', bitrateKbps: 1_411 };
const WMA_SOURCE: SourceAudio = { format: 'wma', codec: 'wma', bitrateKbps: 128 };
const APE_SOURCE: SourceAudio = { format: 'ape', codec: null, bitrateKbps: null };

describe('the sent format', () => {
  it.each<[string, SourceAudio, AudioRequest]>([
    ['nothing is wished', FLAC_SOURCE, {}],
    ['raw is wished, whatever else', FLAC_SOURCE, { format: 'raw', maxBitrateKbps: 64, startMs: 5_000 }],
    ['it is that format already', MP3, { format: 'mp3' }],
    ['it is that format and narrow enough', MP3, { format: 'mp3', maxBitrateKbps: 128 }],
    ['it is narrow enough', MP3, { maxBitrateKbps: 192 }],
    ['no limit is no limit', FLAC_SOURCE, { maxBitrateKbps: 0 }],
    ['aac is wished of AAC in MP4', AAC_SOURCE, { format: 'aac' }],
    ['opus is wished of Opus in Ogg', OPUS_IN_OGG, { format: 'opus' }],
    ['its suffix is wished, whatever its codec', ALAC_SOURCE, { format: 'm4a' }],
    ['its suffix is wished, whatever is in the Ogg', OPUS_IN_OGG, { format: 'ogg' }],
    ['its suffix is wished, which is no format for conversions', AIFF_SOURCE, { format: 'aiff' }],
    ['another spelling of its suffix is wished', AIFF_SOURCE, { format: 'aif' }],
    ['the suffix of its container is wished', ALAC_SOURCE, { format: 'mp4' }],
    ['its suffix is wished, and a limit that it keeps', WMA_SOURCE, { format: 'wma', maxBitrateKbps: 320 }],
  ])('is the original when %s', (_, source, request) => {
    expect(chooseAudio(source, request, true)).toBe('original');
  });

  it.each<[SourceAudio, AudioRequest, { profile: string; bitrateKbps: number }]>([
    [FLAC_SOURCE, { format: 'opus' }, { profile: 'opus', bitrateKbps: 128 }],
    [FLAC_SOURCE, { format: 'opus', maxBitrateKbps: 96 }, { profile: 'opus', bitrateKbps: 96 }],
    [FLAC_SOURCE, { maxBitrateKbps: 192 }, { profile: 'mp3', bitrateKbps: 192 }],
    [FLAC_SOURCE, { format: 'nonsense' }, { profile: 'mp3', bitrateKbps: 192 }],
    [FLAC_SOURCE, { format: 'mp3', maxBitrateKbps: 5_000 }, { profile: 'mp3', bitrateKbps: 320 }],
    [FLAC_SOURCE, { format: 'mp3', maxBitrateKbps: 1 }, { profile: 'mp3', bitrateKbps: 32 }],
    [MP3, { format: 'mp3', maxBitrateKbps: 64 }, { profile: 'mp3', bitrateKbps: 64 }],
    [MP3, { format: 'aac' }, { profile: 'aac', bitrateKbps: 128 }],
    [MP3, { format: 'mp3', startMs: 9_000 }, { profile: 'mp3', bitrateKbps: 128 }],
    [ALAC_SOURCE, { format: 'aac' }, { profile: 'aac', bitrateKbps: 160 }],
    [ALAC_SOURCE, { format: 'm4a', startMs: 9_000 }, { profile: 'm4a', bitrateKbps: 160 }],
    [ALAC_SOURCE, { format: 'm4a', forceConversion: true }, { profile: 'm4a', bitrateKbps: 160 }],
    [AIFF_SOURCE, { format: 'aiff', maxBitrateKbps: 320 }, { profile: 'mp3', bitrateKbps: 320 }],
    [ALAC_SOURCE, { format: 'm4a', maxBitrateKbps: 256 }, { profile: 'm4a', bitrateKbps: 256 }],
    [{ ...OPUS_IN_OGG, format: 'opus' }, { format: 'ogg' }, { profile: 'ogg', bitrateKbps: 96 }],
    [AAC_SOURCE, { format: 'aac', maxBitrateKbps: 160, forceConversion: true }, { profile: 'aac', bitrateKbps: 160 }],
    [ALAC_SOURCE, { format: 'flac' }, { profile: 'flac', bitrateKbps: 0 }],
    [APE_SOURCE, { maxBitrateKbps: 320 }, { profile: 'mp3', bitrateKbps: 320 }],
  ])('of %j for %j is %j', (source, request, order) => {
    expect(chooseAudio(source, request, true)).toMatchObject(order);
  });

  it('is always the original if nothing can be transcoded', () => {
    expect(chooseAudio(FLAC_SOURCE, { format: 'opus', maxBitrateKbps: 64, startMs: 1 }, false)).toBe('original');
  });
});

describe('what browsers play', () => {
  it.each<[string, string, string | undefined]>([
    ['mp3', 'mp3', undefined],
    ['mp3', 'mp2', 'mp3'],
    ['flac', 'flac', undefined],
    ['m4a', 'aac', undefined],
    ['m4a', 'alac', 'flac'],
    ['wav', 'pcm', undefined],
    ['wav', 'dts', 'mp3'],
    ['tta', 'tta', 'flac'],
    ['dts', 'dts', 'mp3'],
    ['wma', 'wma', 'mp3'],
    ['ape', 'ape', 'flac'],
  ])('of %s with %s is converted to %s', (format, codec, expectedFormat) => {
    const resolvedFormat = resolveFormat({ format, codec, bitrateKbps: 320 }, { format: 'playable', startMs: 7 });
    expect(resolvedFormat).toEqual({ startMs: 7, ...(expectedFormat !== undefined && { format: expectedFormat }) });
  });

  it('is asked for only by pages', () => {
    expect(resolveFormat({ format: 'tta', codec: 'tta', bitrateKbps: 900 }, {})).toEqual({});
  });
});

describe('arguments for ffmpeg', () => {
  it.each(PROFILE_NAMES)('of %s name the input as a file, and allow only files and the pipe', (profile) => {
    const args = transcodeArguments('/music/-i http:evil "quoted".mp3', {
      profile,
      bitrateKbps: 128,
      startMs: 1_500,
    });
    expect(args[args.indexOf('-i') + 1]).toBe('file:/music/-i http:evil "quoted".mp3');
    expect(args[args.indexOf('-protocol_whitelist') + 1]).toBe('file,pipe');
    expect(args[args.indexOf('-format_whitelist') + 1]).not.toMatch(/hls|concat|lavfi|image2/);
    expect(args.indexOf('-ss')).toBeLessThan(args.indexOf('-i'));
    expect(args.at(-1)).toBe('pipe:1');
  });
});
