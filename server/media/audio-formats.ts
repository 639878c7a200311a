// The audio formats there are, each told once. Pure data: the desktop shell, the packages' file associations and the
// scan all follow from it. A new format is an entry here, and a reader in formats/ where music-metadata has none.

interface FormatFacts {
  /** Extensions by which a scan finds its files. */
  extensions: readonly string[];
  /** Extensions that videos have as well: a scan looks at them, but "Open with" does not offer them. */
  alsoVideo?: readonly string[];
  /** How a file of it begins, `?` for any byte. Without, sniff.ts looks closer. */
  begins?: readonly string[];
  /** Who reads it: a reader of ours in formats/, or music-metadata, which knows it by our name for it. */
  reader: 'own' | 'music-metadata';
  contentType: string;
  /** What desktops call files of it (shared-mime-info). */
  mimeTypes: readonly string[];
  /** What ffmpeg and fpcalc call its demuxer. */
  demuxer?: string;
  /** What Subsonic clients call its container, where that is not our name for it. */
  container?: string;
  /** The codec, where music-metadata has no word for it. */
  codec?: string;
  /** It loses nothing, also where its depth in bits is not known. */
  lossless?: boolean;
  /** How we come to its samples without a program: by a decoder of the codec, or because they lie there plainly. */
  samples?: 'decoder' | 'plain';
  /** How much more it makes of its bits than MP3; rough, and only compared with others. */
  efficiency?: number;
}

/** By the word in TrackOut.format. */
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

/** What is known of a format that a track says it has; undefined for one that is none. */
export const formatFacts = (format: string | null): FormatFacts | undefined =>
  format !== null && Object.hasOwn(AUDIO_FORMATS, format) ? AUDIO_FORMATS[format as AudioFormat] : undefined;

/** Lower-case extensions of the files that a scan looks at, without the dot. */
export const AUDIO_EXTENSIONS: ReadonlySet<string> = new Set(
  FORMATS.flatMap(([, { extensions, alsoVideo = [] }]) => [...extensions, ...alsoVideo]),
);
