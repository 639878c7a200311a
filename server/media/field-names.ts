// Finds fields by the free-form names of Vorbis comments, APEv2 items, TXXX frames and MP4 `----` atoms. All four use
// the same names, apart from case, spaces and underscores.
import { TAGGED_FIELDS, type TaggedField } from '../db/track-fields.ts';
import { MORE_TAG_LIST, namesOfMore, type MoreTag } from '../db/more-tags.ts';
import type { TextField } from './tag-builder.ts';

const NAMES: Record<Exclude<TextField, TaggedField | MoreTag>, string> = {
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
};

/** Cache of fields by name, including the spellings seen in files, which saves changing case again. */
const byName = new Map<string, TextField | undefined>();
const namesOfFields: [TextField, string][] = [
  ...(Object.entries(NAMES) as [TextField, string][]),
  ...TAGGED_FIELDS.map(({ field, tags }): [TextField, string] => [field, tags.names]),
  ...MORE_TAG_LIST.map((tag): [TextField, string] => [tag, namesOfMore(tag).names]),
];
for (const [field, names] of namesOfFields) for (const name of names.split('|')) byName.set(name, field);
const MAX_NAME_LENGTH = Math.max(...[...byName.keys()].map((name) => name.length));

/** Returns the field with this name, in any case. */
export function fieldOfName(name: string): TextField | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  return byName.get(name) ?? byName.get(name.toUpperCase());
}
