// Reads Ogg with Vorbis, Opus, FLAC or Speex: codec and tags are in the headers of the first audio stream, the duration
// is that of the last page. Chained files (recorded broadcasts) are read page by page.
import { TagBuilder, type FileRead } from '../tag-builder.ts';
import { UnreadableAudio, type AudioFacts } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { readOggHeaders, type OggStream } from './ogg-headers.ts';
import { findLastPage, findNextPage, oggPageAt, oggPageFrom, type OggPage } from './ogg-pages.ts';

/** Maximum number of pages that are read from a chained file; a page usually has 4 KB. */
const MAX_PAGES = 1_000_000;
const MAX_STREAMS = 64;

export function readOgg(window: Window, start: number, keepPictures: boolean): FileRead {
  const builder = new TagBuilder();
  const stream = findAudioStream(window, start, builder, keepPictures);
  if (!stream) throw new UnreadableAudio('the Ogg file has no Vorbis, Opus, FLAC or Speex audio');
  const tags = builder.finish();
  if (!stream.audioAt) throw new UnreadableAudio('the Ogg stream ends in its headers');
  const finalPage = findLastPage(window, start);
  const isChained = finalPage?.serial !== stream.serial;
  const seconds = isChained
    ? chainedSeconds(window, start)
    : playedSamples(window, stream, findAudioPage(window, stream), finalPage.granule) / stream.granuleRate;
  return {
    facts: factsOf(stream, seconds, { start: stream.audioAt, end: window.size }, isChained),
    tags,
    pictures: builder.bestPictures(),
  };
}

/** Finds the first audio stream; all multiplexed streams start before the first page of data. */
function findAudioStream(
  window: Window,
  start: number,
  builder: TagBuilder,
  keepPictures: boolean,
): OggStream | undefined {
  let page = oggPageAt(window, start);
  if (!page) throw new UnreadableAudio('the first Ogg page is cut off');
  for (let n = 0; page && page.flags & 2 && n < MAX_STREAMS; n++) {
    const stream = readOggHeaders(window, page, builder, keepPictures);
    if (stream) return stream;
    page = oggPageAt(window, page.end);
  }
  return undefined;
}

/** Returns the number of samples up to `granule`. Broadcasts may start counting anywhere. */
function playedSamples(window: Window, stream: OggStream, firstPage: OggPage | undefined, granule: number): number {
  if (stream.totalSamples > 0) return Math.min(stream.totalSamples, granule || stream.totalSamples);
  const offset = firstPage ? firstPage.granule - stream.pageSamples(window, firstPage) : 0;
  return granule - Math.max(0, offset) - stream.preSkip;
}

/** Finds the first page on which an audio packet ends. */
function findAudioPage(window: Window, stream: OggStream): OggPage | undefined {
  let page = findNextPage(window, stream.serial, stream.audioAt);
  for (let n = 0; page && page.granule <= 0 && n < 64; n++) page = findNextPage(window, stream.serial, page.end);
  return page && page.granule > 0 ? page : undefined;
}

/** Reads all pages; each stream plays up to the last granule before the next stream starts. */
function chainedSeconds(window: Window, start: number): number {
  let seconds = 0;
  let stream: OggStream | undefined;
  let firstPage: OggPage | undefined;
  let granule = 0;
  const addStreamSeconds = (): void => {
    if (stream && granule > 0)
      seconds += Math.max(0, playedSamples(window, stream, firstPage, granule)) / stream.granuleRate;
    firstPage = undefined;
    granule = 0;
  };
  let page: OggPage | undefined = oggPageAt(window, start);
  for (let n = 0; page && n < MAX_PAGES; n++) {
    if (page.flags & 2) {
      const newStream = readOggHeaders(window, page, undefined, false);
      if (newStream) {
        addStreamSeconds();
        stream = newStream;
      }
    } else if (stream && page.serial === stream.serial && page.granule > granule) {
      firstPage ??= page;
      granule = page.granule;
    }
    page = oggPageFrom(window, page.end);
  }
  addStreamSeconds();
  return seconds;
}

function factsOf(
  stream: OggStream,
  seconds: number,
  payload: { start: number; end: number },
  isChained: boolean,
): AudioFacts {
  const facts: AudioFacts = {
    format: stream.codec === 'opus' ? 'opus' : stream.codec === 'speex' ? 'spx' : 'ogg',
    codec: stream.codec,
    durationMs: seconds * 1000,
    bitrateKbps: Math.round(((payload.end - payload.start) * 8) / seconds / 1000),
    sampleRateHz: stream.sampleRateHz,
    channels: stream.channels,
    lossless: stream.codec === 'flac',
    payload,
  };
  if (stream.bitDepth !== undefined) facts.bitDepth = stream.bitDepth;
  if (stream.preSkip > 0 && !isChained) facts.encoderDelay = stream.preSkip;
  return facts;
}
