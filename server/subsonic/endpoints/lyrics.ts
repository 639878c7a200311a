// Endpoints of lyrics: plain lyrics by title and artist, synced lyrics by song.
import type { TrackLyrics } from '../../library/tracks/lyrics.ts';
import type { LibraryService } from '../../library/service.ts';
import type { LyricsLine, LyricsWord } from '../../media/types.ts';
import { userEndpoint, type Endpoints } from '../endpoint.ts';
import { idOf } from '../ids.ts';
import type { Fields } from '../xml.ts';

export function lyricsEndpoints({ library }: { library: LibraryService }): Endpoints {
  return {
    getLyrics: userEndpoint(({ params }) => {
      const title = params.text('title');
      const lyrics = title === undefined ? undefined : library.lyrics.byName(title, params.text('artist'));
      if (!lyrics) return { lyrics: { value: '' } };
      return {
        lyrics: {
          artist: lyrics.artistName ?? undefined,
          title: lyrics.title,
          value: lyrics.lines.map(({ text }) => text).join('\n'),
        },
      };
    }),

    getLyricsBySongId: userEndpoint(({ params, user: { id } }) => {
      const track = library.getTrack(id, idOf('track', params.required('id')));
      const lyrics = library.lyrics.ofTrack(track.id);
      return {
        lyricsList: {
          structuredLyrics:
            lyrics && lyrics.lines.length > 0 ? [toStructuredLyrics(lyrics, params.bool('enhanced', false))] : [],
        },
      };
    }),
  };
}

const toStructuredLyrics = (
  { title, artistName, synced, lines, language }: TrackLyrics,
  isEnhanced: boolean,
): Fields => {
  const sortedLines = synced ? lines.toSorted((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0)) : lines;
  const hasVoices = lines.some((line) => line.isBackground);
  const cueLines = synced
    ? sortedLines.flatMap((line, index) => (line.words ? [toCueLine(line, index, line.words, hasVoices)] : []))
    : [];
  return {
    displayArtist: artistName ?? undefined,
    displayTitle: title,
    lang: language ?? 'und',
    offset: 0,
    synced,
    ...(isEnhanced && { kind: 'main' }),
    line: sortedLines.map(({ startMs = 0, text }) => ({
      ...(synced && { start: Math.max(0, Math.round(startMs)) }),
      value: text,
    })),
    ...(isEnhanced && cueLines.length > 0 && { ...(hasVoices && { agents: AGENTS }), cueLine: cueLines }),
  };
};

/** The singers of lyrics with a second voice. */
const AGENTS = [
  { id: 'main', role: 'main' },
  { id: 'background', role: 'bg' },
];

/** Converts a line with words, which have inclusive byte offsets into the UTF-8 of the line. */
function toCueLine(
  { startMs, text, isBackground }: LyricsLine,
  index: number,
  words: LyricsWord[],
  hasVoices: boolean,
): Fields {
  let textIndex = 0;
  const cue = words.flatMap((word) => {
    const value = word.text.trimEnd();
    const byteStart = Buffer.byteLength(text.slice(0, textIndex));
    textIndex += word.text.length;
    if (value === '') return [];
    return [{ start: Math.max(0, word.startMs), byteStart, byteEnd: byteStart + Buffer.byteLength(value) - 1, value }];
  });
  const agentId = isBackground ? 'background' : 'main';
  return { index, start: Math.max(0, startMs ?? 0), value: text, ...(hasVoices && { agentId }), cue };
}
