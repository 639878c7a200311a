// Free-form names of tags, as in Vorbis comments, APEv2 items, TXXX frames and MP4 `----` atoms, and which of them
// people can name themselves. `|` stands between names of the same field.
import { MORE_TAG_LIST, namesOfMore } from './more-tags.ts';
import { TAGGED_FIELDS } from './track-fields.ts';

/** Names of fields that have rules of their own, besides those in track-fields.ts and more-tags.ts. */
export const OWN_TAG_NAMES = {
  title: 'TITLE',
  album: 'ALBUM',
  discSubtitle: 'DISCSUBTITLE|SETSUBTITLE',
  titleSort: 'TITLESORT|TITLESORTORDER',
  artistSort: 'ARTISTSORT|ARTISTSORTORDER',
  albumArtistSort: 'ALBUMARTISTSORT|ALBUMARTISTSORTORDER',
  albumSort: 'ALBUMSORT|ALBUMSORTORDER',
  artist: 'ARTIST',
  artistList: 'ARTISTS',
  albumArtist: 'ALBUMARTIST|ALBUM ARTIST|ALBUM_ARTIST',
  albumArtistList: 'ALBUMARTISTS|ALBUM ARTISTS',
  genre: 'GENRE',
  date: 'DATE|YEAR',
  releaseDate: 'RELEASEDATE|RELEASE DATE|RELEASE_DATE|DATE_RELEASED',
  track: 'TRACKNUMBER|TRACK|TRACKNUM',
  trackTotal: 'TRACKTOTAL|TOTALTRACKS',
  disc: 'DISCNUMBER|DISC|DISCNUM',
  discTotal: 'DISCTOTAL|TOTALDISCS',
  compilation: 'COMPILATION|ITUNESCOMPILATION',
  recordingMbid: 'MUSICBRAINZ_TRACKID|MUSICBRAINZ TRACK ID|MUSICBRAINZ_RECORDINGID',
  releaseMbid: 'MUSICBRAINZ_ALBUMID|MUSICBRAINZ ALBUM ID|MUSICBRAINZ_RELEASEID',
  releaseGroupMbid: 'MUSICBRAINZ_RELEASEGROUPID|MUSICBRAINZ RELEASE GROUP ID',
  artistMbids: 'MUSICBRAINZ_ARTISTID|MUSICBRAINZ ARTIST ID',
  albumArtistMbids: 'MUSICBRAINZ_ALBUMARTISTID|MUSICBRAINZ ALBUM ARTIST ID',
  acoustidId: 'ACOUSTID_ID|ACOUSTID ID',
  trackGain: 'REPLAYGAIN_TRACK_GAIN',
  trackPeak: 'REPLAYGAIN_TRACK_PEAK',
  albumGain: 'REPLAYGAIN_ALBUM_GAIN',
  albumPeak: 'REPLAYGAIN_ALBUM_PEAK',
  r128TrackGain: 'R128_TRACK_GAIN',
  r128AlbumGain: 'R128_ALBUM_GAIN',
  cueSheet: 'CUESHEET',
  lyrics: 'LYRICS|UNSYNCEDLYRICS|SYNCEDLYRICS|UNSYNCED LYRICS',
} as const;

/** Names of ratings and plays. `RATING:email` counts like `RATING PART`. */
export const LISTENING_NAMES = {
  ratingPart: 'FMPS_RATING|FMPS_RATING_USER|RATING:',
  rating: 'RATING|RATE|RATING STARS',
  ratingByte: 'RATING WMP|RATING_WMP',
  sharedRating: 'WM/SHAREDUSERRATING',
  plays: 'PLAY_COUNT|PLAYCOUNT|PLAY COUNT|PLAY_COUNTER|FMPS_PLAYCOUNT|FMPS_PLAYCOUNT_USER|SERATO_PLAYCOUNT|PLAYCOUNT:',
  lastPlayed: 'LAST_PLAYED_TIMESTAMP|LAST_PLAYED|LASTPLAYED|LAST PLAYED|PLAY_STAMP|FMPS_LASTPLAYED',
} as const;

/** The names of all fields, as [field, name]. */
export const NAMES_OF_FIELDS = [
  ...Object.entries({ ...OWN_TAG_NAMES, ...LISTENING_NAMES }),
  ...TAGGED_FIELDS.map(({ field, tags }) => [field, tags.names] as const),
  ...MORE_TAG_LIST.map((tag) => [tag, namesOfMore(tag).names] as const),
].flatMap(([field, names]) => names.split('|').map((name) => [field, name] as const));
