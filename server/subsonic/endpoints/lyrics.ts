// Endpoints of lyrics: plain ones by title and artist, synced ones by song.
import type { TrackLyrics } from '../../library/lyrics.ts';
import type { LibraryService } from '../../library/service.ts';
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
      return { lyricsList: { structuredLyrics: found ? [structured(found, params.bool('enhanced', false))] : [] } };
    }),
  };
}

/** `enhanced` (version 2 of the extension) only adds `kind`: word timings are not read from files. */
const structured = ({ title, artistName, synced, lines }: TrackLyrics, enhanced: boolean): Fields => ({
  displayArtist: artistName ?? undefined,
  displayTitle: title,
  lang: 'und',
  offset: 0,
  synced,
  ...(enhanced && { kind: 'main' }),
  line: synced
    ? lines
        .map(({ startMs = 0, text }) => ({ start: Math.max(0, Math.round(startMs)), value: text }))
        .sort((a, b) => a.start - b.start)
    : lines.map(({ text }) => ({ value: text })),
});
