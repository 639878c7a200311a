import { describe, expect, it } from 'vitest';
import { ClientInfo, decide, type SourceTrack } from '../../../server/subsonic/transcoding-extension.ts';

const flac: SourceTrack = {
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
const direct = (containers: string[], audioCodecs: string[] = [], more = {}) => ({
  containers,
  audioCodecs,
  protocols: ['http'],
  ...more,
});
const into = (container: string, audioCodec: string, more = {}) => ({
  container,
  audioCodec,
  protocol: 'http',
  ...more,
});
const client = (more: object) => ClientInfo.parse({ name: 'x', platform: 'y', ...more });
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
    ['names nothing', flac, {}],
    ['names the container', flac, { directPlayProfiles: [direct(['flac'], ['flac'])] }],
    ['names any codec', mp3, { directPlayProfiles: [direct(['mp3'])] }],
    ['has room', mp3, { maxAudioBitrate: 320_000, directPlayProfiles: [direct(['mp3'])] }],
  ])('gets the original when it %s', (_, track, info) => {
    expect(decide(track, client(info), true)).toMatchObject({ canDirectPlay: true, reasons: [] });
  });

  it.each<[string, SourceTrack, object, string]>([
    ['container', flac, { directPlayProfiles: [direct(['mp3'])] }, 'container not supported'],
    [
      'codec',
      { ...flac, format: 'ogg', codec: 'Opus' },
      { directPlayProfiles: [direct(['ogg'], ['vorbis'])] },
      'audio codec not supported',
    ],
    ['bitrate', mp3, { maxAudioBitrate: 128_000 }, 'audio bitrate not supported'],
    [
      'channels',
      flac,
      { directPlayProfiles: [direct(['flac'], [], { maxAudioChannels: 1 })] },
      'audio channels not supported',
    ],
    [
      'rate',
      flac,
      codecs('flac', limit('audioSamplerate', 'LessThanEqual', ['48000'])),
      'audio samplerate not supported',
    ],
    ['depth', flac, codecs('flac', limit('audioBitdepth', 'Equals', ['16'])), 'audio bitdepth not supported'],
    [
      'depth that must be known',
      mp3,
      codecs('mp3', limit('audioBitdepth', 'LessThanEqual', ['16'], true)),
      'audio bitdepth not supported',
    ],
  ])('gets %s as the reason', (_, track, info, reason) => {
    expect(decide(track, client(info), true)).toMatchObject({ canDirectPlay: false, reasons: [reason] });
  });

  it('gets the first of its profiles that is possible', () => {
    const { target } = decide(
      flac,
      client({
        directPlayProfiles: [direct(['mp3'])],
        transcodingProfiles: [into('hls', 'ac4'), into('ogg', 'opus'), into('mp3', 'mp3')],
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
      flac,
      client({
        directPlayProfiles: [direct(['mp3'])],
        maxTranscodingAudioBitrate: 96_000,
        transcodingProfiles: [into('mp3', 'mp3', { maxAudioChannels: 1 })],
        ...codecs('mp3', limit('audioSamplerate', 'LessThanEqual', ['44100'])),
      }),
      true,
    );
    expect(target?.transcode).toEqual({ profile: 'mp3', bitrateKbps: 96, channels: 1, sampleRateHz: 44_100 });
  });

  it.each<[string, SourceTrack, object, object]>([
    [
      'flac is above its bit rate',
      flac,
      { maxAudioBitrate: 320_000, transcodingProfiles: [into('flac', 'flac'), into('mp3', 'mp3')] },
      { codec: 'mp3', audioBitrate: 320_000 },
    ],
    [
      'flac has more bits in a sample',
      flac,
      {
        transcodingProfiles: [into('flac', 'flac'), into('wav', 'pcm')],
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
      flac,
      { maxAudioBitrate: 40_000, transcodingProfiles: [into('ogg', 'vorbis'), into('mp3', 'mp3')] },
      { codec: 'mp3', audioBitrate: 40_000 },
    ],
    [
      'opus has a rate below its own, which is not the highest that it takes',
      { ...flac, sampleRateHz: 44_100 },
      {
        maxAudioBitrate: 128_000,
        transcodingProfiles: [into('ogg', 'opus'), into('mp3', 'mp3')],
        ...codecs('*', limit('audioSamplerate', 'LessThanEqual', ['44100'])),
      },
      { codec: 'mp3', audioSamplerate: 44_100 },
    ],
    [
      'one channel has no room for the usual rate',
      { ...flac, channels: 1 },
      { maxAudioBitrate: 320_000, transcodingProfiles: [into('mp4', 'aac')] },
      { codec: 'aac', audioChannels: 1, audioBitrate: 80_000 },
    ],
  ])('gets what the encoder can keep to where %s', (_, track, info, stream) => {
    const found = decide(track, client({ directPlayProfiles: [direct(['none'])], ...info }), true);
    expect(found.target?.stream).toMatchObject(stream);
  });

  it('gets no transcode without ffmpeg, nor an impossible one', () => {
    expect(
      decide(flac, client({ directPlayProfiles: [direct(['mp3'])], transcodingProfiles: [into('mp3', 'mp3')] }), false)
        .target,
    ).toBeUndefined();
    expect(
      decide(flac, client({ directPlayProfiles: [direct(['mp3'])], transcodingProfiles: [into('mp3', 'ac4')] }), true)
        .target,
    ).toBeUndefined();
  });

  it('gets no lossless file of a lossy one, and the next format that it names', () => {
    const info = {
      directPlayProfiles: [direct(['opus'])],
      transcodingProfiles: [into('flac', 'flac'), into('wav', 'pcm')],
    };
    expect(decide(mp3, client(info), true).target).toBeUndefined();
    expect(decide(flac, client(info), true).target?.transcode.profile).toBe('flac');
    const both = { ...info, transcodingProfiles: [into('flac', 'flac'), into('ogg', 'opus')] };
    expect(decide(mp3, client(both), true).target?.transcode.profile).toBe('opus');
  });
});
