import { describe, expect, it } from 'vitest';
import { ClientInfo, decide, type SourceTrack } from '../../../server/subsonic/transcoding-extension.ts';

const FLAC_TRACK: SourceTrack = {
  format: 'flac',
  codec: null,
  bitrateKbps: 900,
  channels: 2,
  sampleRateHz: 96_000,
  bitDepth: 24,
};
const mp3: SourceTrack = {
  format: 'mp3',
  codec: null,
  bitrateKbps: 320,
  channels: 2,
  sampleRateHz: 44_100,
  bitDepth: null,
};
const directPlayProfile = (containers: string[], audioCodecs: string[] = [], fields = {}) => ({
  containers,
  audioCodecs,
  protocols: ['http'],
  ...fields,
});
const transcodingProfile = (container: string, audioCodec: string, fields = {}) => ({
  container,
  audioCodec,
  protocol: 'http',
  ...fields,
});
const parseClient = (fields: object) => ClientInfo.parse({ name: 'x', platform: 'y', ...fields });
const limit = (name: string, comparison: string, values: string[], required = false) => ({
  name,
  comparison,
  values,
  required,
});
const codecs = (name: string, ...limitations: object[]) => ({
  codecProfiles: [{ type: 'AudioCodec', name, limitations }],
});

describe('a client with capabilities', () => {
  it.each([
    ['names nothing', FLAC_TRACK, {}],
    ['names the container', FLAC_TRACK, { directPlayProfiles: [directPlayProfile(['flac'], ['flac'])] }],
    ['names any codec', mp3, { directPlayProfiles: [directPlayProfile(['mp3'])] }],
    ['has room', mp3, { maxAudioBitrate: 320_000, directPlayProfiles: [directPlayProfile(['mp3'])] }],
  ])('gets the original when it %s', (_, track, info) => {
    expect(decide(track, parseClient(info), true)).toMatchObject({ canDirectPlay: true, reasons: [] });
  });

  it.each<[string, SourceTrack, object, string]>([
    ['container', FLAC_TRACK, { directPlayProfiles: [directPlayProfile(['mp3'])] }, 'container not supported'],
    [
      'codec',
      { ...FLAC_TRACK, format: 'ogg', codec: 'Opus' },
      { directPlayProfiles: [directPlayProfile(['ogg'], ['vorbis'])] },
      'audio codec not supported',
    ],
    ['bitrate', mp3, { maxAudioBitrate: 128_000 }, 'audio bitrate not supported'],
    [
      'channels',
      FLAC_TRACK,
      { directPlayProfiles: [directPlayProfile(['flac'], [], { maxAudioChannels: 1 })] },
      'audio channels not supported',
    ],
    [
      'rate',
      FLAC_TRACK,
      codecs('flac', limit('audioSamplerate', 'LessThanEqual', ['48000'])),
      'audio samplerate not supported',
    ],
    ['depth', FLAC_TRACK, codecs('flac', limit('audioBitdepth', 'Equals', ['16'])), 'audio bitdepth not supported'],
    [
      'depth that must be known',
      mp3,
      codecs('mp3', limit('audioBitdepth', 'LessThanEqual', ['16'], true)),
      'audio bitdepth not supported',
    ],
  ])('gets %s as the reason', (_, track, info, reason) => {
    expect(decide(track, parseClient(info), true)).toMatchObject({ canDirectPlay: false, reasons: [reason] });
  });

  it('gets the first of its profiles that is possible', () => {
    const { target } = decide(
      FLAC_TRACK,
      parseClient({
        directPlayProfiles: [directPlayProfile(['mp3'])],
        transcodingProfiles: [
          transcodingProfile('hls', 'ac4'),
          transcodingProfile('ogg', 'opus'),
          transcodingProfile('mp3', 'mp3'),
        ],
      }),
      true,
    );
    expect(target).toMatchObject({
      stream: { container: 'ogg', codec: 'opus', audioBitrate: 128_000 },
      transcode: { profile: 'opus', bitrateKbps: 128 },
    });
  });

  it('gets no more channels, samples and bits than it supports', () => {
    const { target } = decide(
      FLAC_TRACK,
      parseClient({
        directPlayProfiles: [directPlayProfile(['mp3'])],
        maxTranscodingAudioBitrate: 96_000,
        transcodingProfiles: [transcodingProfile('mp3', 'mp3', { maxAudioChannels: 1 })],
        ...codecs('mp3', limit('audioSamplerate', 'LessThanEqual', ['44100'])),
      }),
      true,
    );
    expect(target?.transcode).toEqual({ profile: 'mp3', bitrateKbps: 96, channels: 1, sampleRateHz: 44_100 });
  });

  it.each<[string, SourceTrack, object, object]>([
    [
      'flac is above its bit rate',
      FLAC_TRACK,
      {
        maxAudioBitrate: 320_000,
        transcodingProfiles: [transcodingProfile('flac', 'flac'), transcodingProfile('mp3', 'mp3')],
      },
      { codec: 'mp3', audioBitrate: 320_000 },
    ],
    [
      'flac has more bits in a sample',
      FLAC_TRACK,
      {
        transcodingProfiles: [transcodingProfile('flac', 'flac'), transcodingProfile('wav', 'pcm')],
        codecProfiles: ['flac', 'pcm'].map((name) => ({
          type: 'AudioCodec',
          name,
          limitations: [limit('audioBitdepth', 'LessThanEqual', ['16'])],
        })),
      },
      { codec: 'pcm', audioBitdepth: 16 },
    ],
    [
      'ogg begins above its bit rate',
      FLAC_TRACK,
      {
        maxAudioBitrate: 40_000,
        transcodingProfiles: [transcodingProfile('ogg', 'vorbis'), transcodingProfile('mp3', 'mp3')],
      },
      { codec: 'mp3', audioBitrate: 40_000 },
    ],
    [
      'opus has a rate below its own, which is not the highest that it takes',
      { ...FLAC_TRACK, sampleRateHz: 44_100 },
      {
        maxAudioBitrate: 128_000,
        transcodingProfiles: [transcodingProfile('ogg', 'opus'), transcodingProfile('mp3', 'mp3')],
        ...codecs('*', limit('audioSamplerate', 'LessThanEqual', ['44100'])),
      },
      { codec: 'mp3', audioSamplerate: 44_100 },
    ],
    [
      'one channel has no room for the usual rate',
      { ...FLAC_TRACK, channels: 1 },
      { maxAudioBitrate: 320_000, transcodingProfiles: [transcodingProfile('mp4', 'aac')] },
      { codec: 'aac', audioChannels: 1, audioBitrate: 80_000 },
    ],
  ])('gets what the encoder can keep to where %s', (_, track, info, stream) => {
    const decision = decide(track, parseClient({ directPlayProfiles: [directPlayProfile(['none'])], ...info }), true);
    expect(decision.target?.stream).toMatchObject(stream);
  });

  it('gets no transcode without ffmpeg, nor an impossible one', () => {
    expect(
      decide(
        FLAC_TRACK,
        parseClient({
          directPlayProfiles: [directPlayProfile(['mp3'])],
          transcodingProfiles: [transcodingProfile('mp3', 'mp3')],
        }),
        false,
      ).target,
    ).toBeUndefined();
    expect(
      decide(
        FLAC_TRACK,
        parseClient({
          directPlayProfiles: [directPlayProfile(['mp3'])],
          transcodingProfiles: [transcodingProfile('mp3', 'ac4')],
        }),
        true,
      ).target,
    ).toBeUndefined();
  });

  it('gets no lossless file of a lossy one, and the next format that it names', () => {
    const info = {
      directPlayProfiles: [directPlayProfile(['opus'])],
      transcodingProfiles: [transcodingProfile('flac', 'flac'), transcodingProfile('wav', 'pcm')],
    };
    expect(decide(mp3, parseClient(info), true).target).toBeUndefined();
    expect(decide(FLAC_TRACK, parseClient(info), true).target?.transcode.profile).toBe('flac');
    const twoProfiles = {
      ...info,
      transcodingProfiles: [transcodingProfile('flac', 'flac'), transcodingProfile('ogg', 'opus')],
    };
    expect(decide(mp3, parseClient(twoProfiles), true).target?.transcode.profile).toBe('opus');
  });
});
