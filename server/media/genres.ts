// Genre numbers of ID3v1 with Winamp's additions, and the ways in which ID3v2 refers to them.

/** Genres by their number: 0 to 79 from ID3v1, the rest from Winamp. */
export const ID3_GENRES = (
  'Blues|Classic Rock|Country|Dance|Disco|Funk|Grunge|Hip-Hop|Jazz|Metal|New ' +
  'Age|Oldies|Other|Pop|R&B|Rap|Reggae|Rock|Techno|Industrial' +
  '|Alternative|Ska|Death ' +
  'Metal|Pranks|Soundtrack|Euro-Techno|Ambient|Trip-Hop|Vocal|Jazz+Funk|Fusion|Trance|Classical|Instrumental|Acid' +
  '|House|Game|Sound Clip|Gospel|Noise|Alternative Rock|Bass|Soul|Punk|Space|Meditative|Instrumental ' +
  'Pop|Instrumental Rock|Ethnic|Gothic' +
  '|Darkwave|Techno-Industrial|Electronic|Pop-Folk|Eurodance|Dream|Southern Rock|Comedy|Cult|Gangsta|Top ' +
  '40|Christian Rap|Pop/Funk|Jungle' +
  '|Native American|Cabaret|New Wave|Psychedelic|Rave|Showtunes|Trailer|Lo-Fi|Tribal|Acid Punk|Acid ' +
  'Jazz|Polka|Retro|Musical|Rock & Roll' +
  '|Hard Rock|Folk|Folk-Rock|National Folk|Swing|Fast ' +
  'Fusion|Bebop|Latin|Revival|Celtic|Bluegrass|Avantgarde|Gothic Rock|Progressive Rock' +
  '|Psychedelic Rock|Symphonic Rock|Slow Rock|Big Band|Chorus|Easy ' +
  'Listening|Acoustic|Humour|Speech|Chanson|Opera|Chamber Music|Sonata' +
  '|Symphony|Booty Bass|Primus|Porn Groove|Satire|Slow Jam|Club|Tango|Samba|Folklore|Ballad|Power ' +
  'Ballad|Rhythmic Soul|Freestyle|Duet' +
  '|Punk Rock|Drum Solo|A Cappella|Euro-House|Dance Hall|Goa|Drum & ' +
  'Bass|Club-House|Hardcore|Terror|Indie|BritPop|Negerpunk|Polsk Punk' +
  '|Beat|Christian Gangsta Rap|Heavy Metal|Black Metal|Crossover|Contemporary Christian|Christian ' +
  'Rock|Merengue|Salsa|Thrash Metal|Anime' +
  '|J-Pop|Synthpop|Abstract|Art Rock|Baroque|Bhangra|Big ' +
  'Beat|Breakbeat|Chillout|Downtempo|Dub|EBM|Eclectic|Electro|Electroclash|Emo' +
  '|Experimental|Garage|Global|IDM|Illbient|Industro-Goth|Jam Band|Krautrock|Leftfield|Lounge|Math Rock|New ' +
  'Romantic|Nu-Breakz|Post-Punk' +
  '|Post-Rock|Psytrance|Shoegaze|Space Rock|Trop Rock|World Music|Neoclassical|Audiobook|Audio Theatre|Neue ' +
  'Deutsche Welle|Podcast' +
  '|Indie Rock|G-Funk|Dubstep|Garage Rock|Psybient'
).split('|');

/** Converts `17` to Rock, `RX` to Remix and `CR` to Cover; undefined for anything else. */
function genreOfReference(reference: string): string | undefined {
  if (reference === 'RX') return 'Remix';
  if (reference === 'CR') return 'Cover';
  return /^\d{1,3}$/.test(reference) ? ID3_GENRES[Number(reference)] : undefined;
}

/**
 * Parses a TCON value: `Rock`, `17`, `(17)`, `(17)(8)`, `(4)Eurodisco` (a genre and its refinement), `((Parenthesis)`.
 * Unknown numbers are skipped.
 */
export function parseId3Genre(value: string): string[] {
  const genres: string[] = [];
  const add = (genre: string): void => {
    if (genre !== '' && !genres.includes(genre)) genres.push(genre);
  };
  let remaining = value.trim();
  while (remaining.startsWith('(') && !remaining.startsWith('((')) {
    const closingIndex = remaining.indexOf(')');
    const genre = closingIndex < 0 ? undefined : genreOfReference(remaining.slice(1, closingIndex));
    // the value is plain text that starts with a parenthesis
    if (genre === undefined && !/^\(\d*\)/.test(remaining)) break;
    add(genre ?? '');
    remaining = remaining.slice(closingIndex + 1).trim();
  }
  if (remaining.startsWith('((')) remaining = remaining.slice(1);
  if (/^\d+$/.test(remaining) || remaining === 'RX' || remaining === 'CR')
    remaining = genreOfReference(remaining) ?? (remaining.length > 3 ? remaining : '');
  add(remaining);
  return genres;
}
