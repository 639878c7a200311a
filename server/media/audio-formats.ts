// All supported audio formats. The scan, the desktop app and its file associations are derived from this table. A new
// format needs an entry here, and a reader in formats/ if music-metadata does not support it.

interface FormatFacts {
  /** Extensions that a scan reads. */
  extensions: readonly string[];
  /** Extensions that videos use too: read by scans, but not associated with the app. */
  alsoVideo?: readonly string[];
  /** Magic bytes at the start, `?` for any byte. Formats without them are detected in sniff.ts. */
  begins?: readonly string[];
  /** `own`: a reader in formats/. music-metadata uses the same format names. */
  reader: 'own' | 'music-metadata';
  contentType: string;
  /** MIME types on desktops (shared-mime-info). */
  mimeTypes: readonly string[];
  /** Name of the demuxer in ffmpeg and fpcalc. */
  demuxer?: string;
  /** Name of the container for Subsonic clients, if different. */
  container?: string;
  /** The codec, if music-metadata does not report one. */
  codec?: string;
  /** Lossless even if the bit depth is unknown. */
  lossless?: boolean;
  /** How samples are read without external programs: with a WebAssembly decoder, or as plain PCM. */
  samples?: 'decoder' | 'plain';
  /** Rough quality per bit, relative to MP3; only for comparing formats. */
  efficiency?: number;
}

/** By `TrackOut.format`. */
export const AUDIO_FORMATS = {
  mp3: {
    extensions: ['mp3', 'mp2', 'mpga'],
    reader: 'own',
    contentType: 'audio/mpeg',
    mimeTypes: ['audio/mpeg', 'audio/mp2'],
    demuxer: 'mp3',
    samples: 'decoder',
  },
  flac: {
    extensions: ['flac'],
    begins: ['fLaC'],
    reader: 'own',
    contentType: 'audio/flac',
    mimeTypes: ['audio/flac'],
    demuxer: 'flac',
    samples: 'decoder',
  },
  ogg: {
    extensions: ['ogg', 'oga'],
    reader: 'own',
    contentType: 'audio/ogg',
    mimeTypes: ['audio/ogg', 'audio/x-vorbis+ogg', 'audio/x-flac+ogg'],
    demuxer: 'ogg',
    samples: 'decoder',
    efficiency: 1.3,
  },
  opus: {
    extensions: ['opus'],
    reader: 'own',
    contentType: 'audio/ogg; codecs=opus',
    mimeTypes: ['audio/x-opus+ogg'],
    demuxer: 'ogg',
    container: 'ogg',
    samples: 'decoder',
    efficiency: 1.6,
  },
  spx: {
    extensions: ['spx'],
    reader: 'own',
    contentType: 'audio/ogg; codecs=speex',
    mimeTypes: ['audio/x-speex+ogg'],
    demuxer: 'ogg',
    container: 'ogg',
  },
  m4a: {
    extensions: ['m4a', 'm4b', 'm4r'],
    alsoVideo: ['mp4'],
    reader: 'own',
    contentType: 'audio/mp4',
    mimeTypes: ['audio/mp4', 'audio/x-m4b', 'audio/x-m4r'],
    demuxer: 'mov',
    container: 'mp4',
    efficiency: 1.3,
  },
  wav: {
    extensions: ['wav', 'wave', 'rf64', 'bwf'],
    begins: ['RIFF????WAVE', 'RF64????WAVE', 'BW64????WAVE'],
    reader: 'own',
    contentType: 'audio/wav',
    mimeTypes: ['audio/x-wav', 'audio/vnd.wave'],
    demuxer: 'wav',
    samples: 'plain',
  },
  aiff: {
    extensions: ['aif', 'aiff', 'aifc'],
    begins: ['FORM????AIFF', 'FORM????AIFC'],
    reader: 'own',
    contentType: 'audio/aiff',
    mimeTypes: ['audio/x-aiff', 'audio/x-aifc'],
    demuxer: 'aiff',
    samples: 'plain',
  },
  aac: {
    extensions: ['aac', 'adts'],
    reader: 'own',
    contentType: 'audio/aac',
    mimeTypes: ['audio/aac'],
    demuxer: 'aac',
    efficiency: 1.3,
  },
  wma: {
    extensions: ['wma'],
    alsoVideo: ['asf'],
    begins: ['\x30\x26\xb2\x75\x8e\x66\xcf\x11'],
    reader: 'music-metadata',
    contentType: 'audio/x-ms-wma',
    mimeTypes: ['audio/x-ms-wma'],
    demuxer: 'asf',
    codec: 'wma',
  },
  ape: {
    extensions: ['ape'],
    begins: ['MAC '],
    reader: 'music-metadata',
    contentType: 'audio/x-ape',
    mimeTypes: ['audio/x-ape'],
    demuxer: 'ape',
    codec: 'ape',
  },
  wv: {
    extensions: ['wv'],
    begins: ['wvpk'],
    reader: 'music-metadata',
    contentType: 'audio/x-wavpack',
    mimeTypes: ['audio/x-wavpack'],
    demuxer: 'wv',
    codec: 'wavpack',
  },
  mpc: {
    extensions: ['mpc', 'mp+', 'mpp'],
    begins: ['MPCK', 'MP+'],
    reader: 'music-metadata',
    contentType: 'audio/x-musepack',
    mimeTypes: ['audio/x-musepack'],
    codec: 'musepack',
  },
  dsf: {
    extensions: ['dsf'],
    begins: ['DSD '],
    reader: 'music-metadata',
    contentType: 'audio/x-dsf',
    mimeTypes: ['audio/x-dsf'],
    demuxer: 'dsf',
    codec: 'dsd',
    lossless: true,
  },
  dff: {
    extensions: ['dff'],
    begins: ['FRM8'],
    reader: 'music-metadata',
    contentType: 'audio/x-dff',
    mimeTypes: ['audio/x-dff'],
    demuxer: 'iff',
    codec: 'dsd',
    lossless: true,
  },
  mka: {
    extensions: ['mka', 'weba'],
    begins: ['\x1a\x45\xdf\xa3'],
    reader: 'music-metadata',
    contentType: 'audio/x-matroska',
    mimeTypes: ['audio/x-matroska', 'audio/webm'],
    demuxer: 'matroska',
    efficiency: 1.3,
  },
} satisfies Record<string, FormatFacts>;

export type AudioFormat = keyof typeof AUDIO_FORMATS;

export const FORMATS = Object.entries(AUDIO_FORMATS) as [AudioFormat, FormatFacts][];

/** Facts about a track's format; undefined for an unknown one. */
export const formatFacts = (format: string | null): FormatFacts | undefined =>
  format !== null && Object.hasOwn(AUDIO_FORMATS, format) ? AUDIO_FORMATS[format as AudioFormat] : undefined;

/** Lower-case extensions that a scan reads, without the dot. */
export const AUDIO_EXTENSIONS: ReadonlySet<string> = new Set(
  FORMATS.flatMap(([, { extensions, alsoVideo = [] }]) => [...extensions, ...alsoVideo]),
);
