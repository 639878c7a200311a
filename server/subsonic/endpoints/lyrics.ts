// Endpoints of lyrics: plain ones by title and artist, synced ones by song.
import type { TrackLyrics } from '../../library/lyrics.ts';
import type { LibraryService } from '../../library/service.ts';
import type { LyricsLine, LyricsWord } from '../../media/types.ts';
import { user, type Endpoints } from '../endpoint.ts';
import { idOf } from '../ids.ts';
import type { Fields } from '../xml.ts';

export function lyricsEndpoints({ library }: { library: LibraryService }): Endpoints {
  return {
    getLyrics: user(({ params }) => {
      const title = params.text('title');
      const found = title === undefined ? undefined : library.lyrics.byName(title, params.text('artist'));
      if (!found) return { lyrics: { value: '' } };
      return {
        lyrics: {
          artist: found.artistName ?? undefined,
          title: found.title,
          value: found.lines.map(({ text }) => text).join('\n'),
        },
      };
    }),

    getLyricsBySongId: user(({ params, user: { id } }) => {
      const track = library.getTrack(id, idOf('track', params.required('id')));
      const found = library.lyrics.ofTrack(track.id);
      return {
        lyricsList: {
          structuredLyrics: found && found.lines.length > 0 ? [structured(found, params.bool('enhanced', false))] : [],
        },
      };
    }),
  };
}

const structured = ({ title, artistName, synced, lines }: TrackLyrics, enhanced: boolean): Fields => {
  const inOrder = synced ? lines.toSorted((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0)) : lines;
  const cueLines = synced
    ? inOrder.flatMap((line, index) => (line.words ? [cueLine(line, index, line.words)] : []))
    : [];
  return {
    displayArtist: artistName ?? undefined,
    displayTitle: title,
    lang: 'und',
    offset: 0,
    synced,
    ...(enhanced && { kind: 'main' }),
    line: inOrder.map(({ startMs = 0, text }) => ({
      ...(synced && { start: Math.max(0, Math.round(startMs)) }),
      value: text,
    })),
    ...(enhanced && cueLines.length > 0 && { cueLine: cueLines }),
  };
};

/** Byte offsets are inclusive, into the UTF-8 of the line. */
function cueLine({ startMs, text }: LyricsLine, index: number, words: LyricsWord[]): Fields {
  let at = 0;
  const cue = words.flatMap((word) => {
    const value = word.text.trimEnd();
    const byteStart = Buffer.byteLength(text.slice(0, at));
    at += word.text.length;
    if (value === '') return [];
    return [{ start: Math.max(0, word.startMs), byteStart, byteEnd: byteStart + Buffer.byteLength(value) - 1, value }];
  });
  return { index, start: Math.max(0, startMs ?? 0), value: text, cue };
}
