// Reads MP4 and QuickTime audio (AAC, ALAC, …): `moov` is the metadata, `mdat` the audio; either may come first.
import { MAX_MOOV_BYTES, refuseOver } from '../limits.ts';
import { u32be, u64be } from '../integers.ts';
import { TagBuilder, type FileRead } from '../tag-builder.ts';
import { UnreadableAudio, type AudioFacts } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { atom, AtomReader } from './mp4-atoms.ts';
import { readChapterTrack, readNeroChapters } from './mp4-chapters.ts';
import { readIlst, type SmoothPlayback } from './mp4-ilst.ts';
import { readTrack, type Mp4Track } from './mp4-track.ts';

const MOOV = atom('moov');
const MDAT = atom('mdat');
const MVHD = atom('mvhd');
const MVEX = atom('mvex');
const TRAK = atom('trak');
const UDTA = atom('udta');
const META = atom('meta');
const HDLR = atom('hdlr');
const ILST = atom('ilst');
const CHPL = atom('chpl');
/** Atoms to search for after a damaged atom, grouped by the atom that contains them. */
const FILE_ATOMS = new Set([MOOV, MDAT]);
const MOVIE_ATOMS = new Set([MVHD, MVEX, TRAK, UDTA, META]);
const USER_DATA_ATOMS = new Set([META, CHPL]);
const META_ATOMS = new Set([ILST]);

interface Movie {
  timescale: number;
  duration: number;
  isFragmented: boolean;
  track: Mp4Track | undefined;
  /** Bodies of all tracks. */
  tracks: { start: number; end: number }[];
  smoothPlayback: SmoothPlayback | undefined;
  builder: TagBuilder;
}

/** Reads a file; returns undefined for a fragmented file, whose durations are spread over the file. */
export function readMp4(window: Window, start: number): FileRead | undefined {
  const atoms = new AtomReader(window);
  let payload: { start: number; end: number } | undefined;
  const movie: Movie = {
    timescale: 0,
    duration: 0,
    isFragmented: false,
    track: undefined,
    tracks: [],
    smoothPlayback: undefined,
    builder: new TagBuilder(),
  };
  let hasMovie = false;
  const visit = (name: number, bodyAt: number, end: number): void => {
    if (name === MOOV && !hasMovie) {
      refuseOver('the movie header', end - bodyAt, MAX_MOOV_BYTES);
      hasMovie = true;
      readMovie(atoms, bodyAt, end, movie);
    } else if (name === MDAT && (!payload || end - bodyAt > payload.end - payload.start))
      payload = { start: bodyAt, end };
  };
  atoms.each(start, window.size, visit, FILE_ATOMS);
  if (!hasMovie) throw new UnreadableAudio('the MP4 file has no movie header; it may be cut off');
  if (movie.isFragmented) return undefined;
  if (!movie.track) throw new UnreadableAudio('the MP4 file has no audio track');
  if (!payload || payload.end <= payload.start) throw new UnreadableAudio('the MP4 file has no audio data');
  if (movie.tracks.length > 1) movie.builder.setChapters(readChapterTrack(atoms, movie.tracks));
  return {
    facts: factsOf(movie, movie.track, payload),
    tags: movie.builder.finish(),
    pictures: movie.builder.bestPictures(),
  };
}

function readMovie(atoms: AtomReader, start: number, limit: number, movie: Movie): void {
  const visitInner = (innerName: number, innerAt: number, innerEnd: number): void => {
    if (innerName === META) readMeta(atoms, innerAt, innerEnd, movie);
    else if (innerName === CHPL) movie.builder.setChapters(readNeroChapters(atoms.window, innerAt, innerEnd));
  };
  const visit = (name: number, bodyAt: number, end: number): void => {
    switch (name) {
      case MVHD:
        readMovieHeader(atoms.window, bodyAt, movie);
        break;
      case MVEX:
        movie.isFragmented = true;
        break;
      case TRAK:
        movie.track ??= readTrack(atoms, bodyAt, end);
        movie.tracks.push({ start: bodyAt, end });
        break;
      case UDTA:
        atoms.each(bodyAt, end, visitInner, USER_DATA_ATOMS);
        break;
      case META:
        readMeta(atoms, bodyAt, end, movie);
        break;
      default:
    }
  };
  atoms.each(start, limit, visit, MOVIE_ATOMS);
}

function readMovieHeader(window: Window, position: number, movie: Movie): void {
  const i = window.at(position, 32);
  if (i < 0) return;
  const b = window.bytes;
  const is64Bit = b[i] === 1;
  movie.timescale = u32be(b, i + (is64Bit ? 20 : 12));
  movie.duration = is64Bit ? u64be(b, i + 24) : u32be(b, i + 16);
}

/** Reads `meta`, which starts with four bytes of version in MP4, and with its first atom in QuickTime. */
function readMeta(atoms: AtomReader, position: number, limit: number, movie: Movie): void {
  const isQuickTime = atoms.read(position, limit) && atoms.name === HDLR;
  const visit = (name: number, bodyAt: number, end: number): void => {
    if (name === ILST) movie.smoothPlayback = readIlst(atoms, bodyAt, end, movie.builder) ?? movie.smoothPlayback;
  };
  atoms.each(isQuickTime ? position : position + 4, limit, visit, META_ATOMS);
}

function factsOf(movie: Movie, track: Mp4Track, payload: { start: number; end: number }): AudioFacts {
  const seconds = playedSeconds(movie, track);
  const facts: AudioFacts = {
    format: 'm4a',
    codec: track.codec,
    durationMs: seconds * 1000,
    bitrateKbps: Math.round(((payload.end - payload.start) * 8) / seconds / 1000),
    sampleRateHz: track.sampleRateHz,
    channels: track.channels,
    lossless: track.lossless,
    payload,
  };
  if (track.bitDepth !== undefined) facts.bitDepth = track.bitDepth;
  const delay = movie.smoothPlayback?.delay ?? track.skippedUnits;
  if (delay > 0) facts.encoderDelay = delay;
  if (movie.smoothPlayback && movie.smoothPlayback.padding > 0) facts.encoderPadding = movie.smoothPlayback.padding;
  return facts;
}

/** Returns the duration by iTunes' sample count if this matches the track, else by edit list, track, or movie. */
function playedSeconds(movie: Movie, track: Mp4Track): number {
  const { smoothPlayback } = movie;
  const media = track.mediaDuration;
  if (track.timescale > 0 && media > 0) {
    if (
      smoothPlayback &&
      smoothPlayback.samples > 0 &&
      Math.abs(smoothPlayback.delay + smoothPlayback.samples + smoothPlayback.padding - media) <= 2 * 2048
    ) {
      return smoothPlayback.samples / track.timescale;
    }
    const totalSeconds = media / track.timescale;
    if (track.editDuration > 0 && movie.timescale > 0)
      return Math.min(totalSeconds, track.editDuration / movie.timescale);
    return track.skippedUnits < media ? (media - track.skippedUnits) / track.timescale : totalSeconds;
  }
  return movie.timescale > 0 ? movie.duration / movie.timescale : 0;
}
