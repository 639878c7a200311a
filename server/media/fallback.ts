// Reads the formats without an own reader through music-metadata: WMA, WavPack, DSDIFF, Matroska, fragmented MP4.
// Durations that music-metadata determines by decoding are not used, since they take seconds per file.
import { parseFromTokenizer, type IAudioMetadata, type ICommonTagsResult } from 'music-metadata';
import { AbstractTokenizer, EndOfStreamError, type IReadChunkOptions } from 'strtok3';
import { z } from 'zod';
import { isCustomTag } from '../db/custom-tags.ts';
import { MORE_TAG_LIST, MORE_TAGS, type MoreTag } from '../db/more-tags.ts';
import { TAGGED_FIELDS, TRACK_FIELDS, type TaggedField } from '../db/track-fields.ts';
import { fieldOfName } from './field-names.ts';
import { asfPayload, refuseCrowdedAsf } from './formats/asf-objects.ts';
import { asfPictures } from './formats/asf-picture.ts';
import { dffPayload } from './formats/dff-payload.ts';
import { scanMatroska, type MatroskaScan } from './formats/matroska-scan.ts';
import { matroskaTags } from './formats/matroska-tags.ts';
import { MAX_LIST_VALUES, MAX_PICTURE_BYTES, MAX_PICTURES } from './limits.ts';
import { parseLyrics } from './lrc.ts';
import { sniffPicture } from './picture-mime.ts';
import { checkFacts } from './check-facts.ts';
import { fillGaps, isListening, TagBuilder, type TextField } from './tag-builder.ts';
import { toOneLine } from './text.ts';
import { formatFacts, type AudioFormat } from './audio-formats.ts';
import { UnreadableAudio, type AudioFacts, type AudioRead, type ByteSource, type Tags } from './types.ts';

/** Limit of bytes read by music-metadata, which trusts the lengths in a file. Six hours of WavPack stay below. */
const MAX_READ_BYTES = 16 << 20;
const MAX_TOTAL_BYTES = 32 << 20;
const MAX_READS = 100_000;

/** Functions that find the audio in a file. WavPack needs none: its audio is everything between the tags. */
const PAYLOADS: Partial<Record<AudioFormat, (source: ByteSource) => AudioFacts['payload']>> = {
  wma: asfPayload,
  dff: dffPayload,
};

/**
 * Reads a file; `format` is detected from its first bytes. Throws UnreadableAudio with the message of music-metadata.
 */
export async function readWithMusicMetadata(source: ByteSource, format: AudioFormat | undefined): Promise<AudioRead> {
  const { metadata, knownFormat } = await parse(source, format, { skipCovers: true });
  const { duration = 0 } = metadata.format;
  const {
    hasVideo,
    lastBlockMs,
    title,
    tags: matroskaTagBytes,
    payload,
  }: MatroskaScan = knownFormat === 'mka'
    ? scanMatroska(source, duration === 0)
    : { hasVideo: false, lastBlockMs: 0, payload: PAYLOADS[knownFormat]?.(source) };
  if (hasVideo) throw new UnreadableAudio('it is a video');
  const facts = checkFacts(factsOf(metadata, knownFormat, source.size, duration * 1000 || lastBlockMs), source.size);
  if (payload) facts.payload = payload;
  const tags = matroskaTagBytes ? matroskaTags(matroskaTagBytes) : undefined;
  return { facts, tags: tagsOf(metadata, { tags, title }), pictures: [], reader: 'music-metadata' };
}

/** Returns the pictures, front covers first. Throws like `readWithMusicMetadata`. */
export async function readPicturesWithMusicMetadata(
  source: ByteSource,
  format: AudioFormat | undefined,
): Promise<{ mime: string; bytes: Buffer }[]> {
  if (format === 'wma') refuseCrowdedAsf(source);
  const embeddedPictures =
    format === 'wma'
      ? asfPictures(source).map(({ kind, bytes }) => ({ bytes, isFront: kind === 3 }))
      : await picturesOf(source, format);
  const pictures = embeddedPictures.slice(0, MAX_PICTURES).flatMap(({ bytes, isFront }) => {
    const mime = bytes.length <= MAX_PICTURE_BYTES ? sniffPicture(bytes) : undefined;
    return mime === undefined ? [] : [{ mime, bytes, isFront }];
  });
  return pictures.toSorted((a, b) => Number(b.isFront) - Number(a.isFront));
}

async function picturesOf(
  source: ByteSource,
  format: AudioFormat | undefined,
): Promise<{ bytes: Buffer; isFront: boolean }[]> {
  const { metadata } = await parse(source, format, { skipCovers: false });
  return (metadata.common.picture ?? []).map(({ data, type }) => ({
    bytes: Buffer.from(data),
    isFront: type === 'Cover (front)',
  }));
}

async function parse(source: ByteSource, format: AudioFormat | undefined, { skipCovers }: { skipCovers: boolean }) {
  if (format === undefined) throw new UnreadableAudio('the format of the file is not known');
  if (format === 'wma') refuseCrowdedAsf(source);
  try {
    return {
      metadata: await parseFromTokenizer(new SourceTokenizer(source, format), { skipCovers, includeChapters: false }),
      knownFormat: format,
    };
  } catch (error) {
    if (error instanceof UnreadableAudio) throw error;
    throw new UnreadableAudio(`the file cannot be read: ${sentenceOf(error)}`);
  }
}

class SourceTokenizer extends AbstractTokenizer {
  readonly fileInfo: { size: number; path: string };
  readonly #source: ByteSource;
  #reads = 0;
  #bytes = 0;

  constructor(source: ByteSource, format: AudioFormat) {
    super({ maxBufferSize: MAX_READ_BYTES });
    this.#source = source;
    // the file name selects the parser; music-metadata's own detection knows fewer formats than it reads
    this.fileInfo = { size: source.size, path: `audio.${format}` };
  }

  async readBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const count = await this.peekBuffer(target, options);
    this.position = (options?.position ?? this.position) + count;
    return count;
  }

  async peekBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position, length, mayBeLess } = this.normalizeOptions(target, options);
    if (length > MAX_READ_BYTES) throw new RangeError('a part of it is too large');
    if (++this.#reads > MAX_READS || (this.#bytes += length) > MAX_TOTAL_BYTES)
      throw new UnreadableAudio('the file is made of too many parts');
    const bytes = this.#source.read(position, length);
    if (!mayBeLess && bytes.length < length) throw new EndOfStreamError();
    target.set(bytes);
    return bytes.length;
  }

  override supportsRandomAccess(): boolean {
    return true;
  }

  setPosition(position: number): void {
    this.position = position;
  }
}

const sentenceOf = (error: unknown): string => toOneLine(error instanceof Error ? error.message : String(error), 200);

function factsOf(metadata: IAudioMetadata, format: AudioFormat, size: number, durationMs: number): AudioFacts {
  const { bitrate, sampleRate, bitsPerSample, numberOfChannels, lossless, codec } = metadata.format;
  const facts: AudioFacts = {
    format,
    codec: codecOf(format, codec ?? ''),
    durationMs,
    bitrateKbps: Math.round(bitrate === undefined ? (size * 8) / durationMs : bitrate / 1000),
    sampleRateHz: sampleRate ?? 0,
    channels: numberOfChannels ?? 2,
    lossless: lossless ?? false,
  };
  // WavPack packs eight samples of DSD into a byte
  const isDsd = format === 'wv' && facts.sampleRateHz >= LOWEST_DSD_RATE_HZ;
  if (facts.lossless && bitsPerSample) facts.bitDepth = isDsd ? 1 : bitsPerSample;
  return facts;
}

const LOWEST_DSD_RATE_HZ = 1_411_200;
const CODEC_WORD = /aac|alac|vorbis|opus|flac|eac3|ac-?3|dts|mp3|mp2|pcm|mpeg\/l3|mpeg\/l2/;

/**
 * Returns the codec in one word: that of single-codec containers, else taken from music-metadata's name (`MPEG-4/AAC`,
 * `A_VORBIS`).
 */
function codecOf(format: AudioFormat, name: string): string {
  const word = CODEC_WORD.exec(name.toLowerCase())?.[0].replace('-', '').replace('mpeg/l', 'mp');
  return formatFacts(format)?.codec ?? word ?? (toOneLine(name.toLowerCase(), 32) || format);
}

type Texts = string | readonly string[] | undefined;

/** music-metadata's names in track-fields.ts and more-tags.ts, checked by the compiler. */
type CommonName =
  | (typeof TRACK_FIELDS)[TaggedField]['tags']['common'][number]
  | (typeof MORE_TAGS)[MoreTag]['common'][number];

function textsOf(common: Pick<ICommonTagsResult, CommonName>, names: readonly CommonName[]): Texts {
  const value = names.map((name) => common[name]).find((text) => text !== undefined);
  if (!Array.isArray(value)) return value?.toString();
  return value.flatMap((entry) => (typeof entry === 'string' ? entry : (entry.text ?? [])));
}

/** Fields whose text is used unchanged. */
const TEXTS: [TextField, (common: ICommonTagsResult) => Texts][] = [
  ['title', (c) => c.title],
  ['album', (c) => c.album],
  ['genre', (c) => c.genre],
  ['albumArtist', (c) => c.albumartist],
  ['artistList', (c) => c.artists],
  ['artist', displayedArtist],
  ['discSubtitle', (c) => c.discsubtitle],
  ['titleSort', (c) => c.titlesort],
  ['artistSort', (c) => c.artistsort],
  ['albumArtistSort', (c) => c.albumartistsort],
  ['albumSort', (c) => c.albumsort],
  ['date', (c) => c.date],
  ['recordingMbid', (c) => c.musicbrainz_recordingid],
  ['releaseMbid', (c) => c.musicbrainz_albumid],
  ['releaseGroupMbid', (c) => c.musicbrainz_releasegroupid],
  ['artistMbids', (c) => c.musicbrainz_artistid],
  ['albumArtistMbids', (c) => c.musicbrainz_albumartistid],
  ['acoustidId', (c) => c.acoustid_id],
  ['track', (c) => c.track.no?.toString()],
  ['trackTotal', (c) => c.track.of?.toString()],
  ['disc', (c) => c.disk.no?.toString()],
  ['discTotal', (c) => c.disk.of?.toString()],
  ['compilation', (c) => (c.compilation ? '1' : undefined)],
  ...TAGGED_FIELDS.map(({ field }): (typeof TEXTS)[number] => [
    field,
    (c) => textsOf(c, TRACK_FIELDS[field].tags.common),
  ]),
  ...MORE_TAG_LIST.map((tag): (typeof TEXTS)[number] => [tag, (c) => textsOf(c, MORE_TAGS[tag].common)]),
];

/** Returns the displayed artist. If there are several artists, `artist` is just the first one, not a credit. */
function displayedArtist({ artist, artists = [] }: ICommonTagsResult): string | undefined {
  return artists.length > 1 && artist === artists[0] ? undefined : artist;
}

/** `tags` are those of a Matroska file, which count before music-metadata's; `title` is that of its segment. */
function tagsOf(
  { common, native }: IAudioMetadata,
  { tags: ownTags, title = '' }: { tags: Tags | undefined; title: string | undefined },
): Tags {
  const builder = new TagBuilder();
  for (const [field, pick] of TEXTS) {
    const value = pick(common);
    for (const text of (typeof value === 'string' ? [value] : (value ?? []))
      .flatMap((joinedNames) => joinedNames.split('\0', MAX_LIST_VALUES))
      .slice(0, MAX_LIST_VALUES))
      builder.add(field, text); // APE tags separate values by NUL
  }
  if (common.year !== undefined) builder.add('date', String(common.year));
  for (const { id, value } of Object.values(native).flat())
    if (/^cuesheet$/i.test(id) && typeof value === 'string') builder.add('cueSheet', value);
  // only `dB` of a gain and `ratio` of a peak have the declared unit
  builder.addGain('trackGainDb', common.replaygain_track_gain?.dB);
  builder.addGain('albumGainDb', common.replaygain_album_gain?.dB);
  builder.addGain('trackPeak', common.replaygain_track_peak?.ratio);
  builder.addGain('albumPeak', common.replaygain_album_peak?.ratio);
  for (const lyrics of common.lyrics ?? []) builder.addLyrics(lyricsOf(lyrics));
  addNamed(builder, native);
  const tags = builder.finish();
  fillGaps(tags, tagsByName(native, title));
  if (!ownTags) return tags;
  fillGaps(ownTags, tags);
  return ownTags;
}

/**
 * Returns tags by their free-form names: ffmpeg writes the names of Vorbis comments into ASF, of which music-metadata
 * knows few.
 */
function tagsByName({ asf = [] }: IAudioMetadata['native'], title: string): Tags {
  const builder = new TagBuilder();
  for (const { id, value } of asf) {
    const field = fieldOfName(id);
    if (field !== undefined && typeof value === 'string') builder.add(field, value);
  }
  builder.add('title', title);
  return builder.finish();
}

/**
 * Adds ratings, plays and custom tags, which music-metadata passes on as it found them: as text, numbers or parsed
 * frames.
 */
function addNamed(builder: TagBuilder, native: IAudioMetadata['native']): void {
  for (const { id, value } of Object.values(native).flat() as { id: string; value: unknown }[]) {
    const field = fieldOfName(id.replace(/^(?:track:|TXXX:|----:[^:]*:)/, ''));
    const popularity = id === 'POPM' ? Popularity.safeParse(value).data : undefined;
    if (popularity) builder.listening.addPopularity(popularity.email, popularity.rating, popularity.counter ?? 0);
    else if (field !== undefined && isCustomTag(field) && typeof value === 'string')
      for (const text of value.split('\0', MAX_LIST_VALUES)) builder.add(field, text);
    else if (field !== undefined && isListening(field) && (typeof value === 'string' || typeof value === 'number'))
      builder.add(field, String(value));
  }
}
const Popularity = z.object({ email: z.string(), rating: z.number(), counter: z.number().optional().catch(undefined) });

function lyricsOf(lyrics: NonNullable<ICommonTagsResult['lyrics']>[number]) {
  // `syncText` is absent for some files, despite its type
  const timedLines = (lyrics as { syncText?: typeof lyrics.syncText }).syncText ?? [];
  const lines = timedLines.map((line) => ({
    text: line.text.trim(),
    ...(line.timestamp === undefined ? {} : { startMs: line.timestamp }),
  }));
  if (lines.length > 0) return { synced: true, lines };
  return lyrics.text === undefined ? undefined : parseLyrics(lyrics.text);
}
