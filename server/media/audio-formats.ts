// All supported audio formats. The scan, the desktop app and its file associations are derived from this table. A new
// format needs an entry here, and a reader in formats/ if music-metadata does not support it.

export interface FormatFacts {
  /** Extensions that a scan reads. */
  extensions: readonly string[];
  /** Extensions that videos use too: read by scans, but not associated with the app. */
  alsoVideo?: readonly string[];
  /** Magic bytes at the start, `?` for any byte. Formats without them are detected in sniff.ts. */
  magicBytes?: readonly string[];
  /** `own` if there is a reader in formats/. music-metadata uses the same format names. */
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
  /** More demuxers for transcoding, for formats whose versions have different demuxers. */
  demuxers?: readonly string[];
  /** True if the format is lossless even if the bit depth is unknown. */
  lossless?: boolean;
  /** How samples are read without external programs: with a WebAssembly decoder, or as plain PCM. */
  samples?: 'decoder' | 'plain';
  /** The codecs that all browsers play in this format; others are converted for them. */
  inBrowsers?: readonly string[];
  /** Rough quality per bit, relative to MP3; only for comparing formats. */
  efficiency?: number;
}

/** All formats, by the value of `TrackOut.format`. */
export const AUDIO_FORMATS = {
  mp3: {
    extensions: ['mp3', 'mp2', 'mp1', 'mpga'],
    reader: 'own',
    contentType: 'audio/mpeg',
    mimeTypes: ['audio/mpeg', 'audio/mp2'],
    demuxer: 'mp3',
    inBrowsers: ['mp3'],
    samples: 'decoder',
  },
  flac: {
    extensions: ['flac'],
    magicBytes: ['fLaC'],
    reader: 'own',
    contentType: 'audio/flac',
    mimeTypes: ['audio/flac'],
    demuxer: 'flac',
    inBrowsers: ['flac'],
    samples: 'decoder',
  },
  ogg: {
    extensions: ['ogg', 'oga'],
    reader: 'own',
    contentType: 'audio/ogg',
    mimeTypes: ['audio/ogg', 'audio/x-vorbis+ogg', 'audio/x-flac+ogg'],
    demuxer: 'ogg',
    inBrowsers: ['vorbis', 'opus', 'flac'],
    samples: 'decoder',
    efficiency: 1.3,
  },
  opus: {
    extensions: ['opus'],
    reader: 'own',
    contentType: 'audio/ogg; codecs=opus',
    mimeTypes: ['audio/x-opus+ogg'],
    demuxer: 'ogg',
    inBrowsers: ['opus'],
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
    inBrowsers: ['aac', 'mp3', 'flac', 'opus'],
    container: 'mp4',
    efficiency: 1.3,
  },
  wav: {
    extensions: ['wav', 'wave', 'rf64', 'bwf'],
    magicBytes: ['RIFF????WAVE', 'RF64????WAVE', 'BW64????WAVE'],
    reader: 'own',
    contentType: 'audio/wav',
    mimeTypes: ['audio/x-wav', 'audio/vnd.wave'],
    demuxer: 'wav',
    inBrowsers: ['pcm'],
    samples: 'plain',
  },
  aiff: {
    extensions: ['aif', 'aiff', 'aifc'],
    magicBytes: ['FORM????AIFF', 'FORM????AIFC'],
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
    inBrowsers: ['aac'],
    efficiency: 1.3,
  },
  wma: {
    extensions: ['wma'],
    alsoVideo: ['asf'],
    magicBytes: ['\x30\x26\xb2\x75\x8e\x66\xcf\x11'],
    reader: 'music-metadata',
    contentType: 'audio/x-ms-wma',
    mimeTypes: ['audio/x-ms-wma'],
    demuxer: 'asf',
    codec: 'wma',
  },
  ape: {
    extensions: ['ape'],
    magicBytes: ['MAC '],
    reader: 'own',
    contentType: 'audio/x-ape',
    mimeTypes: ['audio/x-ape'],
    demuxer: 'ape',
    lossless: true,
  },
  wv: {
    extensions: ['wv'],
    magicBytes: ['wvpk'],
    reader: 'music-metadata',
    contentType: 'audio/x-wavpack',
    mimeTypes: ['audio/x-wavpack'],
    demuxer: 'wv',
    codec: 'wavpack',
  },
  mpc: {
    extensions: ['mpc', 'mp+', 'mpp'],
    magicBytes: ['MPCK', 'MP+'],
    reader: 'own',
    contentType: 'audio/x-musepack',
    mimeTypes: ['audio/x-musepack'],
    demuxers: ['mpc', 'mpc8'],
  },
  dsf: {
    extensions: ['dsf'],
    magicBytes: ['DSD '],
    reader: 'own',
    contentType: 'audio/x-dsf',
    mimeTypes: ['audio/x-dsf'],
    demuxer: 'dsf',
    codec: 'dsd',
    lossless: true,
  },
  dff: {
    extensions: ['dff'],
    magicBytes: ['FRM8'],
    reader: 'music-metadata',
    contentType: 'audio/x-dff',
    mimeTypes: ['audio/x-dff'],
    demuxer: 'iff',
    codec: 'dsd',
    lossless: true,
  },
  mka: {
    extensions: ['mka', 'weba'],
    alsoVideo: ['webm'],
    magicBytes: ['\x1a\x45\xdf\xa3'],
    reader: 'music-metadata',
    contentType: 'audio/x-matroska',
    mimeTypes: ['audio/x-matroska', 'audio/webm'],
    demuxer: 'matroska',
    efficiency: 1.3,
  },
  tta: {
    extensions: ['tta'],
    magicBytes: ['TTA1'],
    reader: 'own',
    contentType: 'audio/x-tta',
    mimeTypes: ['audio/x-tta'],
    demuxer: 'tta',
    lossless: true,
  },
  tak: {
    extensions: ['tak'],
    magicBytes: ['tBaK'],
    reader: 'own',
    contentType: 'audio/x-tak',
    mimeTypes: [],
    demuxer: 'tak',
    lossless: true,
  },
  w64: {
    extensions: ['w64'],
    magicBytes: ['riff\x2e\x91\xcf\x11'],
    reader: 'own',
    contentType: 'audio/x-w64',
    mimeTypes: [],
    demuxer: 'w64',
  },
  caf: {
    extensions: ['caf'],
    magicBytes: ['caff'],
    reader: 'own',
    contentType: 'audio/x-caf',
    mimeTypes: ['audio/x-caf'],
    demuxer: 'caf',
  },
  ac3: {
    extensions: ['ac3'],
    reader: 'own',
    contentType: 'audio/ac3',
    mimeTypes: ['audio/ac3'],
    demuxer: 'ac3',
  },
  eac3: {
    extensions: ['eac3', 'ec3'],
    reader: 'own',
    contentType: 'audio/eac3',
    mimeTypes: [],
    demuxer: 'eac3',
    efficiency: 1.3,
  },
  dts: {
    extensions: ['dts'],
    magicBytes: ['\x7f\xfe\x80\x01', '\xfe\x7f\x01\x80', '\x1f\xff\xe8\0'],
    reader: 'own',
    contentType: 'audio/vnd.dts',
    mimeTypes: ['audio/vnd.dts'],
    demuxer: 'dts',
  },
  loas: {
    extensions: ['loas', 'latm'],
    reader: 'own',
    contentType: 'audio/mp4a-latm',
    mimeTypes: [],
    demuxer: 'loas',
    efficiency: 1.3,
  },
} satisfies Record<string, FormatFacts>;

export type AudioFormat = keyof typeof AUDIO_FORMATS;

export const FORMATS = Object.entries(AUDIO_FORMATS) as [AudioFormat, FormatFacts][];

/** Returns the facts about a track's format; undefined for an unknown one. */
export const formatFacts = (format: string | null): FormatFacts | undefined =>
  format !== null && Object.hasOwn(AUDIO_FORMATS, format) ? AUDIO_FORMATS[format as AudioFormat] : undefined;

/** Returns the content type with which a track's audio is sent. */
export const contentTypeOf = (format: string | null): string =>
  formatFacts(format)?.contentType ?? 'application/octet-stream';
export const AUDIO_CONTENT_TYPES = [...new Set(FORMATS.map(([, { contentType }]) => contentType))];

/** Lower-case extensions that a scan reads, without the dot. */
export const AUDIO_EXTENSIONS: ReadonlySet<string> = new Set(
  FORMATS.flatMap(([, { extensions, alsoVideo = [] }]) => [...extensions, ...alsoVideo]),
);

/** Unsupported audio formats: scans name them by extension, uploads by magic bytes. */
const UNSUPPORTED_FORMATS: readonly {
  name: string;
  extensions: readonly string[];
  magicBytes?: readonly string[];
  /** Copy protection lets only the programs of a shop play the files. */
  isProtected?: true;
}[] = [
  { name: 'AMR', extensions: ['amr', 'awb'], magicBytes: ['#!AMR'] },
  { name: 'Sun audio', extensions: ['au', 'snd'], magicBytes: ['.snd'] },
  { name: 'MIDI', extensions: ['mid', 'midi', 'kar', 'rmi'], magicBytes: ['MThd'] },
  { name: 'RealAudio', extensions: ['ra', 'ram', 'rm'], magicBytes: ['.RMF', '.ra\xfd'] },
  { name: 'Shorten', extensions: ['shn'], magicBytes: ['ajkg'] },
  { name: 'OptimFROG', extensions: ['ofr', 'ofs'], magicBytes: ['OFR '] },
  { name: 'Lossless Audio', extensions: ['la'], magicBytes: ['LA0'] },
  { name: 'ATRAC', extensions: ['oma', 'aa3', 'at3', 'at9'], magicBytes: ['EA3\x01', 'ea3\x03'] },
  { name: 'Audible', extensions: ['aa', 'aax', 'aaxc'], isProtected: true },
  { name: 'protected iTunes audio', extensions: ['m4p'], isProtected: true },
  { name: 'DTS-HD', extensions: ['dtshd'], magicBytes: ['DTSHDHDR'] },
  { name: 'TrueHD', extensions: ['thd', 'mlp', 'truehd'], magicBytes: ['????\xf8\x72\x6f'] },
  { name: 'Creative Voice', extensions: ['voc'], magicBytes: ['Creative Voice File'] },
  {
    name: 'a tracker module',
    extensions: ['mod', 'xm', 'it', 's3m', 'mptm', 'mo3'],
    magicBytes: ['Extended Module', 'IMPM'],
  },
  { name: 'game music', extensions: ['nsf', 'sid', 'spc', 'vgm', 'vgz', 'gbs', 'psf', 'adx', 'hca', 'brstm'] },
  { name: 'TwinVQ', extensions: ['vqf'], magicBytes: ['TWIN'] },
  { name: 'GSM', extensions: ['gsm'] },
  { name: '3GPP audio', extensions: ['3ga'] },
  { name: 'ALAC without a container', extensions: ['alac'] },
];

const FOREIGN_PICTURES: ReadonlySet<string> = new Set(['bmp', 'tif', 'tiff', 'heic', 'heif', 'jxl', 'jp2', 'svg']);

const VIDEO_EXTENSIONS: ReadonlySet<string> = new Set(
  'm4v mkv mk3d avi mov qt mpg mpeg m2v mpv vob ts mts m2ts wmv flv f4v ogv ogm 3gp 3g2 divx rmvb'.split(' '),
);

/** Returns whether files with this extension have a copy protection. */
export const isProtectedExtension = (extension: string): boolean =>
  UNSUPPORTED_FORMATS.some(({ extensions, isProtected }) => isProtected && extensions.includes(extension));

/** Returns why a scan does not read a file with this extension. */
export function whyNotRead(extension: string): string {
  const format = UNSUPPORTED_FORMATS.find(({ extensions }) => extensions.includes(extension));
  if (format) return `audio in a format that is not supported (${format.name})`;
  if (FOREIGN_PICTURES.has(extension)) return 'a picture in a format that is not supported; JPEG, PNG or WebP are';
  return VIDEO_EXTENSIONS.has(extension) ? 'a video' : 'not audio';
}

/** Magic bytes of unsupported audio, with the name of its format. */
export const UNSUPPORTED_MAGIC_BYTES = UNSUPPORTED_FORMATS.flatMap(({ name, magicBytes: patterns = [] }) =>
  patterns.map((pattern) => ({ pattern, name })),
);

/**
 * Demuxers that ffmpeg may use: those of single files. Demuxers of file lists (HLS, concat) would open whatever a
 * malicious file refers to.
 */
export const DEMUXERS: readonly string[] = [
  ...new Set(
    FORMATS.flatMap(([, { demuxer, demuxers = [] }]) => [...(demuxer === undefined ? [] : [demuxer]), ...demuxers]),
  ),
];

/** Returns whether all browsers play the format and codec. An unknown codec is taken to be the format's usual one. */
export function playsInBrowsers(format: string | null, codec: string | null): boolean {
  const codecs = formatFacts(format)?.inBrowsers ?? [];
  return codec === null ? codecs.length > 0 : codecs.includes(codec);
}

const LOSSLESS_CODECS: ReadonlySet<string> = new Set(['pcm', 'flac', 'alac', 'wavpack', 'dsd']);

export const isLosslessCodec = (format: string | null, codec: string | null): boolean =>
  formatFacts(format)?.lossless === true || (codec !== null && LOSSLESS_CODECS.has(codec));
