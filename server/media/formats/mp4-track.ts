// Reads a `trak` of an MP4 file: its codec, timescale, and the part that is played.
import { u16be, u32be, u64be } from '../integers.ts';
import type { Window } from '../buffered-source.ts';
import { atom, type AtomReader } from './mp4-atoms.ts';
import { readSampleEntry, type Mp4Codec } from './mp4-codec.ts';

export interface Mp4Track extends Mp4Codec {
  /** Time units per second, in which `mediaDuration` is given. */
  timescale: number;
  mediaDuration: number;
  /** Duration by the edit list, in the movie's units; 0 without an edit list. */
  editDuration: number;
  /** Start of playback in the track's units: the encoder delay. */
  skippedUnits: number;
}

const MDIA = atom('mdia');
const MDHD = atom('mdhd');
const HDLR = atom('hdlr');
const MINF = atom('minf');
const STBL = atom('stbl');
const STSD = atom('stsd');
const EDTS = atom('edts');
const ELST = atom('elst');
const SOUND = atom('soun');
const UNKNOWN_DURATION = 0xffffffff;
const MAX_EDITS = 1000;

/** Returns undefined unless the track is an audio track with a sample description. */
export function readTrack(atoms: AtomReader, start: number, limit: number): Mp4Track | undefined {
  const track: Mp4Track = {
    codec: '',
    sampleRateHz: 0,
    channels: 0,
    lossless: false,
    timescale: 0,
    mediaDuration: 0,
    editDuration: 0,
    skippedUnits: 0,
  };
  let isAudioTrack = false;
  const visit = (name: number, bodyAt: number, end: number): void => {
    switch (name) {
      case MDIA:
      case MINF:
      case STBL:
      case EDTS:
        atoms.each(bodyAt, end, visit);
        break;
      case MDHD:
        readMediaHeader(atoms.window, bodyAt, track);
        break;
      case HDLR:
        isAudioTrack ||= isSoundHandler(atoms.window, bodyAt);
        break;
      case STSD:
        if (isAudioTrack) readSampleEntry(atoms, bodyAt, end, track);
        break;
      case ELST:
        readEdits(atoms.window, bodyAt, end, track);
        break;
      default:
    }
  };
  atoms.each(start, limit, visit);
  if (!isAudioTrack || track.codec === '') return undefined;
  if (track.sampleRateHz === 0) track.sampleRateHz = track.timescale;
  return track;
}

function readMediaHeader(window: Window, position: number, track: Mp4Track): void {
  const i = window.at(position, 24);
  if (i < 0) return;
  const is64Bit = window.bytes[i] === 1;
  const k = window.at(position, is64Bit ? 32 : 24);
  if (k < 0) return;
  track.timescale = u32be(window.bytes, k + (is64Bit ? 20 : 12));
  const duration = is64Bit ? u64be(window.bytes, k + 24) : u32be(window.bytes, k + 16);
  track.mediaDuration = duration === UNKNOWN_DURATION ? 0 : duration;
}

function isSoundHandler(window: Window, position: number): boolean {
  const i = window.at(position, 12);
  return i >= 0 && u32be(window.bytes, i + 8) === SOUND;
}

/**
 * Sums the edits that play media; the media time of the first such edit is the delay. An edit of duration 0 plays to
 * the end.
 */
function readEdits(window: Window, position: number, end: number, track: Mp4Track): void {
  const i = window.at(position, 8);
  if (i < 0) return;
  const is64Bit = window.bytes[i] === 1;
  const count = Math.min(u32be(window.bytes, i + 4), MAX_EDITS);
  const entry = is64Bit ? 20 : 12;
  let isFirst = true;
  for (let n = 0; n < count && position + 8 + (n + 1) * entry <= end; n++) {
    const k = window.at(position + 8 + n * entry, entry);
    if (k < 0) return;
    const b = window.bytes;
    const isEmpty = u32be(b, k + (is64Bit ? 8 : 4)) === 0xffffffff;
    if (isEmpty || u16be(b, k + entry - 4) === 0) continue; // the edit is silence, or a still frame
    track.editDuration += is64Bit ? u64be(b, k) : u32be(b, k);
    if (isFirst) track.skippedUnits = is64Bit ? u64be(b, k + 8) : u32be(b, k + 4);
    isFirst = false;
  }
}
