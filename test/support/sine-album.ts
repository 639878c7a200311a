// An album of one continuous tone for each format, split into two tracks in the middle of a wave, to measure joins.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const RATE = 44_100;
/** Number of samples in a frame of a compact disc, the unit of cue sheets. */
const CD_FRAME = RATE / 75;
/**
 * Number of samples in each half: no multiple of any format’s block, and over a second, since an Ogg file of a single
 * page loses 128 frames in decoding. It lasts three seconds, so that a busy machine loads the next half in time.
 */
export const HALF = 235 * CD_FRAME;
export const ALBUM = 'One Long Tone';

export interface Tone {
  format: string;
  encode: string[];
  hz: number;
  /** Whether the album is one file with both halves, and a CUE sheet. */
  hasSheet?: true;
}

export const TONES: Tone[] = [
  { format: 'flac', encode: ['-c:a', 'flac'], hz: 150 },
  { format: 'wav', encode: ['-c:a', 'pcm_s16le'], hz: 190 },
  { format: 'ogg', encode: ['-c:a', 'libvorbis', '-q:a', '6'], hz: 160 },
  { format: 'opus', encode: ['-c:a', 'libopus', '-b:a', '160k'], hz: 200 },
  { format: 'mp3', encode: ['-c:a', 'libmp3lame', '-b:a', '192k'], hz: 170 },
  { format: 'm4a', encode: ['-c:a', 'aac', '-b:a', '192k'], hz: 210 },
  { format: 'cue', encode: ['-c:a', 'flac'], hz: 180, hasSheet: true },
];

/** Writes the halves of every tone into a folder, as an album in the order of `tones`. */
export function writeSineAlbum(ffmpeg: string, dir: string, tones: readonly Tone[]): void {
  const folder = join(dir, ALBUM);
  mkdirSync(folder, { recursive: true });
  const runFfmpeg = (...args: string[]) => execFileSync(ffmpeg, ['-v', 'error', '-y', ...args]);
  tones.forEach(({ format, encode, hz, hasSheet }, i) => {
    const wholeWav = join(folder, 'whole.wav');
    runFfmpeg(
      '-f',
      'lavfi',
      '-i',
      `sine=f=${hz}:r=${RATE}:d=${Math.ceil((2 * HALF) / RATE)},volume=4,aformat=channel_layouts=stereo:sample_fmts=s16`,
      wholeWav,
    );
    const numbers = [i * 2 + 1, i * 2 + 2].map((number) => String(number).padStart(2, '0'));
    const cutTrack = (from: number, to: number, name: string, tags: Record<string, string>) =>
      runFfmpeg(
        '-i',
        wholeWav,
        '-af',
        `atrim=start_sample=${from}:end_sample=${to},asetpts=PTS-STARTPTS`,
        ...encode,
        ...Object.entries(tags).flatMap(([key, value]) => ['-metadata', `${key}=${value}`]),
        join(folder, name),
      );
    if (hasSheet) {
      cutTrack(0, 2 * HALF, 'both.flac', {});
      const tracks = numbers.flatMap((number, halfIndex) => [
        `TRACK ${number} AUDIO`,
        `TITLE "${format} ${halfIndex + 1}"`,
        `INDEX 01 00:0${Math.floor((halfIndex * HALF) / RATE)}:${((halfIndex * HALF) / CD_FRAME) % 75}`,
      ]);
      const sheet = ['PERFORMER "Gapless"', `TITLE "${ALBUM}"`, 'FILE "both.flac" WAVE', ...tracks];
      writeFileSync(join(folder, 'both.cue'), sheet.join('\n'));
    } else
      numbers.forEach((track, halfIndex) => {
        const tags = {
          title: `${format} ${halfIndex + 1}`,
          artist: 'Gapless',
          album_artist: 'Gapless',
          album: ALBUM,
          track,
        };
        cutTrack(halfIndex * HALF, (halfIndex + 1) * HALF, `${track}.${format}`, tags);
      });
    rmSync(wholeWav);
  });
}
