// Reads the table of test/data/releases.txt; the notation is explained at the top of that file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './product.ts';

export interface ReleaseCase {
  title: string;
  /** Line number in the file, from 1. */
  line: number;
  /** Whether MusicBrainz, Picard, Lyrion and Navidrome agree on the case. */
  isAgreed: boolean;
  /** The groups of files in the order of the file. */
  groups: GroupTrack[][];
  albums: CaseAlbum[];
}

export interface GroupTrack {
  /** The group's letter and the track's number in the group: `a3`, `a2.3`. */
  name: string;
  group: string;
  /** Undefined for a track without a folder. */
  folder: string | undefined;
  /** True if a user edited the album's title, so that the file has another one. */
  isEdited: boolean;
  discNumber: number | undefined;
  trackNumber: number | undefined;
  title: string;
  durationMs: number;
  artist: string;
  albumArtist: string | undefined;
  album: string;
  isCompilation: boolean;
  releaseMbid: string | undefined;
  releaseGroupMbid: string | undefined;
  edition: string | undefined;
  year: number | undefined;
  format: string;
  /** Tracks with the same text sound alike. Undefined for a track without a fingerprint. */
  sound: string | undefined;
}

export interface CaseAlbum {
  /** Names of tracks. */
  tracks: string[];
  /** Undefined in cases that name no artists. */
  artist: string | undefined;
}

const DEFAULT_ARTIST = 'The Quays';
const DEFAULT_ALBUM = 'Blue';
/** Additional duration of the songs of a group with `rec:`, in milliseconds. `remaster` keeps the titles. */
const OTHER_RECORDING_MS = 20_000;
const REMASTER_MS = 5_000;

export const readReleasesTable = (): ReleaseCase[] =>
  parseReleasesTable(readFileSync(join(root, 'test', 'data', 'releases.txt'), 'utf8'));

/** Parses the table. Throws with the number of a line that it does not understand. */
export function parseReleasesTable(text: string): ReleaseCase[] {
  const cases: ReleaseCase[] = [];
  let block: Line[] = [];
  for (const [i, line] of [...text.split('\n'), ''].entries()) {
    if (line.trim() !== '') block.push({ text: line.trimEnd(), number: i + 1 });
    else {
      if (block.some((headLine) => headLine.text.startsWith('=>'))) cases.push(parseCase(block));
      block = [];
    }
  }
  return cases;
}

interface Line {
  text: string;
  number: number;
}

function parseCase(block: Line[]): ReleaseCase {
  const [head, ...otherLines] = block.filter(({ text }) => text.startsWith('#'));
  const [albums, ...furtherAlbums] = block.filter(({ text }) => text.startsWith('=>'));
  if (!head || head !== block[0] || !albums || furtherAlbums.length > 0)
    throw fault(block[0], 'a case has one title, above, and one line of albums');
  if (otherLines.some(({ text }) => text.includes('[agreed]'))) throw fault(head, '[agreed] stands in the title');
  const groups = block
    .filter((line) => line !== albums && !line.text.startsWith('#'))
    .map((line) => withLineNumber(line, () => parseGroup(line.text)));
  return {
    title: head.text.replace('[agreed]', '').slice(1).trim(),
    line: head.number,
    isAgreed: head.text.includes('[agreed]'),
    groups,
    albums: withLineNumber(albums, () => parseAlbums(albums.text.slice(2), groups)),
  };
}

/** Parses a line such as `a  Quays/Blue  1-12  mbid:std  year:1999`. */
function parseGroup(line: string): GroupTrack[] {
  const [group = '', placeText = '', numbers = '', ...attributes] = line.split(/\s{2,}/);
  if (!/^[a-z]$/.test(group)) throw new Error(`${group} is not the letter of a group`);
  const positions = parseNumbers(numbers);
  const values = parseAttributes(attributes);
  const convertColumn = <T>(name: string, convert: (value: string) => T): (T | undefined)[] =>
    perTrack(name, values.get(name), positions.length).map((value) => (value === undefined ? value : convert(value)));

  const songs = values.has('songs') ? parseNumbers(values.get('songs') ?? '').map(songOf) : positions.map(songOf);
  if (songs.length !== positions.length) throw new Error(`${songs.length} songs for ${positions.length} tracks`);
  const recordings = songs.map((song) => recordingOf(song, values.get('rec'), Number(values.get('length') ?? 0)));
  const artists = convertColumn('artist', String);
  const years = convertColumn('year', Number);
  const edition = values.get('edition');
  const sound = values.get('sound');

  return positions.map(({ disc, number, label }, i) => ({
    name: `${group}${label}`,
    group,
    folder: placeText === 'upload' ? undefined : placeText,
    isEdited: values.has('edited'),
    discNumber: disc,
    trackNumber: number,
    ...(recordings[i] as Recording),
    artist: artists[i] ?? DEFAULT_ARTIST,
    albumArtist: values.get('albumartist'),
    album: values.get('album') ?? DEFAULT_ALBUM,
    isCompilation: values.has('compilation'),
    releaseMbid: mbidOf(values.get('mbid')),
    releaseGroupMbid: mbidOf(values.get('group')),
    edition,
    year: years[i],
    format: values.get('format') ?? 'mp3',
    sound: sound === undefined ? undefined : `${sound} ${songs[i]?.disc}.${songs[i]?.number}`,
  }));
}

const ATTRIBUTES = new Set(
  'mbid edition year artist albumartist album compilation group rec length songs sound format edited'.split(' '),
);
const MARKS = new Set(['compilation', 'edited']);

function parseAttributes(attributes: string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const attribute of attributes) {
    const [name = '', value] = attribute.split(/:(.*)/s);
    if (!ATTRIBUTES.has(name)) throw new Error(`${name} is not known`);
    if (values.has(name)) throw new Error(`${name} is there twice`);
    if (MARKS.has(name) !== (value === undefined)) throw new Error(`${attribute} has a value too many or none`);
    values.set(name, value ?? '');
  }
  return values;
}

/** Returns the value for each track: one value for all tracks, or one for each; `-` stands for none. */
function perTrack(name: string, value: string | undefined, tracks: number): (string | undefined)[] {
  if (value === undefined) return Array.from({ length: tracks });
  const list = value.split(',').map((element) => (element.trim() === '-' ? undefined : element.trim()));
  if (list.length === 1) return Array.from({ length: tracks }, () => list[0]);
  if (list.length !== tracks) throw new Error(`${name} has ${list.length} values for ${tracks} tracks`);
  return list;
}

interface Position {
  disc: number | undefined;
  number: number | undefined;
  /** The position as written: `3` or `2.3`. */
  label: string;
}

/** Parses `1-12`, `1,3,5` or `2.1-2.10`; `x3` stands for three tracks without numbers. */
function parseNumbers(text: string): Position[] {
  return text.split(',').flatMap((range): Position[] => {
    const count = /^x(\d+)$/.exec(range)?.[1];
    if (count !== undefined)
      return numbersTo(Number(count)).map((n) => ({ ...positionOf(undefined, n), number: undefined }));
    const [, disc, firstText, lastDisc, lastText] = /^(?:(\d+)\.)?(\d+)(?:-(?:(\d+)\.)?(\d+))?$/.exec(range) ?? [];
    if (firstText === undefined || (lastText !== undefined && lastDisc !== disc))
      throw new Error(`${range} are no numbers`);
    return numbersTo(Number(lastText ?? firstText))
      .slice(Number(firstText) - 1)
      .map((n) => positionOf(disc, n));
  });
}

const numbersTo = (lastNumber: number): number[] => Array.from({ length: lastNumber }, (_, i) => i + 1);
const positionOf = (disc: string | undefined, number: number): Position => ({
  disc: disc === undefined ? undefined : Number(disc),
  number,
  label: disc === undefined ? String(number) : `${disc}.${number}`,
});

interface Song {
  disc: number;
  number: number;
}
/** Returns the song at this position of the album, whether the disc is written or not. */
const songOf = ({ disc = 1, label }: Position): Song => ({ disc, number: Number(label.split('.').at(-1)) });

interface Recording {
  title: string;
  durationMs: number;
}
function recordingOf({ disc, number }: Song, rec: string | undefined, moreSeconds: number): Recording {
  const title = `Song ${disc === 1 ? '' : `${disc}.`}${number}`;
  const durationMs = 120_000 + disc * 60_000 + number * 10_000 + moreSeconds * 1000;
  if (rec === undefined) return { title, durationMs };
  if (rec === 'remaster') return { title, durationMs: durationMs + REMASTER_MS };
  return { title: `${title} (${rec})`, durationMs: durationMs + OTHER_RECORDING_MS };
}

/** Makes a UUID from a name of up to 16 letters, sorted like the names. */
function mbidOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const digits = Buffer.from(name).toString('hex').padEnd(32, '0');
  if (digits.length > 32) throw new Error(`${name} is longer than 16 letters`);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Parses albums such as `a b1-3 | b4 (by The Quays)`. */
function parseAlbums(text: string, groups: GroupTrack[][]): CaseAlbum[] {
  const names = groups.map((group) => group.map(({ name }) => name));
  const expectedAlbums = text.split('|').map((album) => {
    const [, members = '', artist] = /^(.*?)(?:\(by (.+)\))?\s*$/.exec(album.trim()) ?? [];
    return { tracks: members.trim().split(/\s+/).flatMap(tracksOf), artist };
  });
  const allTracks = expectedAlbums.flatMap(({ tracks }) => tracks).toSorted();
  if (allTracks.join() !== names.flat().toSorted().join()) throw new Error('the albums do not hold every track once');
  const artistCount = expectedAlbums.filter(({ artist }) => artist !== undefined).length;
  if (artistCount > 0 && artistCount < expectedAlbums.length)
    throw new Error('either all albums have an artist or none');
  return expectedAlbums;

  function tracksOf(member: string): string[] {
    const letter = member.slice(0, 1);
    const ownName = names.find(([first]) => first?.startsWith(letter));
    if (!ownName) throw new Error(`there is no group ${letter}`);
    if (member === letter) return ownName;
    return parseNumbers(member.slice(1)).map(({ label }) => `${letter}${label}`);
  }
}

/** Writes albums as the table does: `a b1-3 | b4 (by The Quays)`. */
export function writeAlbums(groups: ReleaseCase['groups'], albums: readonly CaseAlbum[]): string {
  const positions = new Map(groups.flat().map(({ name }, i) => [name, i]));
  const firstOf = ({ tracks }: CaseAlbum): number => Math.min(...tracks.map((name) => positions.get(name) ?? -1));
  return albums
    .toSorted((firstGroup, secondGroup) => firstOf(firstGroup) - firstOf(secondGroup))
    .map(({ tracks, artist }) => {
      const members = groups.flatMap((group) => writeMembers(group, new Set(tracks)));
      return [...members, ...(artist === undefined ? [] : [`(by ${artist})`])].join(' ');
    })
    .join(' | ');
}

function writeMembers(group: GroupTrack[], album: ReadonlySet<string>): string[] {
  const letter = group[0]?.group ?? '';
  const members = group.filter(({ name }) => album.has(name));
  if (members.length === group.length) return [letter];
  if (members.length === 0) return [];
  const runs: GroupTrack[][] = [];
  for (const member of members) {
    const run = runs.at(-1);
    const previous = run?.at(-1);
    if (run && previous && group.indexOf(member) === group.indexOf(previous) + 1) run.push(member);
    else runs.push([member]);
  }
  const labels = runs.map((run) =>
    [...new Set([run[0], run.at(-1)])].map((track) => track?.name.slice(letter.length)).join('-'),
  );
  return [`${letter}${labels.join(',')}`];
}

function withLineNumber<T>(line: Line, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw fault(line, (error as Error).message);
  }
}

const fault = (line: Line | undefined, message: string): Error =>
  new Error(`releases.txt, line ${line?.number ?? 0}: ${message}`);
