// Finds the tracks that a radio starts from: those that represent an album, an artist, a genre, a playlist, a mood or
// an hour.
import type { TrackId, UserId } from '../db/ids.ts';
import type { LibraryService } from '../library/service.ts';
import type { Mood } from '../library/lists/moods.ts';
import type { PlaylistService } from '../playlists/service.ts';
import type { FactsReader } from './track-facts.ts';
import type { ReasonOut, SeedIn } from './wire.ts';

export interface Seed {
  title: string | null;
  /** Tracks to which similar tracks are looked up. */
  ids: TrackId[];
  /** If set, the radio plays only tracks of this mood. */
  mood?: Mood;
  /** If set, the radio prefers tracks of this genre. */
  genre?: string;
  /** Returns the reason for playing a track of the seed itself. */
  ownReason?: (id: number) => ReasonOut | undefined;
}

const MAX_PLAYLIST_TRACKS = 200;

interface SeedDeps {
  facts: FactsReader;
  library: Pick<LibraryService, 'getTrack' | 'getAlbum' | 'getArtist'>;
  playlists: Pick<PlaylistService, 'get' | 'entries'>;
  /** Returns a number from 0 to 1. */
  random: () => number;
}

export type SeedReader = ReturnType<typeof createSeeds>;

export function createSeeds({ facts, library, playlists, random }: SeedDeps) {
  const ofMood = (mood: Mood): Seed => ({
    title: null,
    ids: facts.ofMood(mood),
    mood,
    ownReason: () => ({ kind: 'mood', mood }),
  });

  return {
    ofMood,
    /** Returns the tracks of a seed. Throws `not_found`. */
    async of(userId: UserId, seed: SeedIn): Promise<Seed> {
      switch (seed.kind) {
        case 'track':
          return { title: library.getTrack(userId, seed.id).title, ids: [seed.id] };
        case 'album':
          return { title: library.getAlbum(userId, seed.id).title, ids: facts.ofAlbum(seed.id) };
        case 'artist':
          return { title: library.getArtist(userId, seed.id).name, ids: facts.ofArtist(seed.id) };
        case 'genre':
          return {
            title: seed.name,
            ids: facts.ofGenre(seed.name),
            genre: seed.name,
            ownReason: () => ({ kind: 'same_genre', genre: seed.name }),
          };
        case 'playlist': {
          const { name, trackCount } = await playlists.get(userId, seed.id);
          const offset = Math.floor(random() * Math.max(0, trackCount - MAX_PLAYLIST_TRACKS));
          const { items } = await playlists.entries(userId, seed.id, { limit: MAX_PLAYLIST_TRACKS, offset });
          return { title: name, ids: items.map(({ track }) => track.id) };
        }
        case 'mood':
          return ofMood(seed.mood);
        case 'moment': {
          const playedTracks = facts.atHour(userId, seed.hour, seed.utc_offset_minutes);
          if (playedTracks.length === 0) return ofMood(usualMood(seed.hour));
          const plays = new Map<number, number>(playedTracks.map((track) => [track.id, track.plays]));
          return {
            title: null,
            ids: playedTracks.map(({ id }) => id),
            ownReason: (id) => {
              const count = plays.get(id);
              return count === undefined ? undefined : { kind: 'played_at_this_hour', plays: count };
            },
          };
        }
      }
    },
  };
}

/** Returns the mood of an hour for listeners who have not played anything at that hour yet. */
function usualMood(hour: number): Mood {
  if (hour < 6 || hour >= 22) return 'calm';
  if (hour < 10) return 'gentle';
  return hour < 18 ? 'bright' : 'driving';
}
