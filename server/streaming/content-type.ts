// What a track's audio is called on the wire.

const CONTENT_TYPES: Record<string, string> = {
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  opus: 'audio/ogg; codecs=opus',
  spx: 'audio/ogg; codecs=speex',
  m4a: 'audio/mp4',
  wav: 'audio/wav',
  aiff: 'audio/aiff',
  aac: 'audio/aac',
  wma: 'audio/x-ms-wma',
  ape: 'audio/x-ape',
  wv: 'audio/x-wavpack',
  mpc: 'audio/x-musepack',
  dsf: 'audio/x-dsf',
  dff: 'audio/x-dff',
  mka: 'audio/x-matroska',
};

export const AUDIO_CONTENT_TYPES = [...new Set(Object.values(CONTENT_TYPES))];

export const contentTypeOf = (format: string | null): string =>
  CONTENT_TYPES[format ?? ''] ?? 'application/octet-stream';
