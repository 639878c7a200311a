// Generates files to import, valid and broken: histories, playlists, feeds.
import { oddText, pick } from './values.ts';

type Random = () => number;

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const oddNumber = (random: Random): number => pick(random, [0, -1, 1.5, 1_700_000_000, 1e12, 2 ** 53, 1e308]);
const makeMany = <T>(random: Random, make: () => T): T[] =>
  Array.from({ length: pick(random, [0, 1, 2, 20, 500]) }, () => make());

const listen = (random: Random): object => ({
  listened_at: random() < 0.5 ? 1_700_000_000 + Math.floor(random() * 1e6) : oddNumber(random),
  track_metadata: { track_name: oddText(random), artist_name: oddText(random), release_name: oddText(random) },
});
const listens = (random: Random): string => JSON.stringify({ listens: makeMany(random, () => listen(random)) });
const lines = (random: Random): string => makeMany(random, () => JSON.stringify(listen(random))).join('\n');
const csv = (random: Random): string =>
  ['artist,album,title,date', ...makeMany(random, () => `"${oddText(random)}",${oddText(random)},x,14 Nov 2023`)].join(
    '\n',
  );
const m3u = (random: Random): string =>
  makeMany(random, () => `#EXTINF:${oddNumber(random)},${oddText(random)}\n${oddText(random)}.mp3`).join('\n');
const pls = (random: Random): string =>
  ['[playlist]', ...makeMany(random, () => `File1=${oddText(random)}`)].join('\n');
const xspf = (random: Random): string =>
  `<playlist><trackList>${makeMany(random, () => `<track><title>${escapeXml(oddText(random))}</title></track>`).join('')}`;
const brackets = (random: Random): string => pick(random, ['[', '{"a":', 'a,', '<a>', '\n', '#']).repeat(100_000);

/** Cuts a text, or inserts something into it. */
function damage(text: string, random: Random): string {
  const offset = Math.floor(random() * text.length);
  if (random() < 0.6) return text;
  return random() < 0.5 ? text.slice(0, offset) : text.slice(0, offset) + oddText(random) + text.slice(offset);
}

export const randomImportFile = (random: Random): string =>
  damage(pick(random, [listens, lines, csv, m3u, pls, xspf, brackets, oddText])(random), random).toWellFormed();

export function feedFile(random: Random): string {
  const element = (name: string): string => `<${name}>${escapeXml(oddText(random))}</${name}>`;
  const item = (): string =>
    `<item>${element('title')}${element('pubDate')}${element('itunes:duration')}${element('description')}` +
    `<enclosure url="${escapeXml(oddText(random))}" length="${oddNumber(random)}"/></item>`;
  const root = pick(random, ['rss', 'feed', 'rdf:RDF', 'html']);
  const feed = `<${root}><channel>${element('title')}${makeMany(random, item).join('')}</channel></${root}>`;
  return damage(random() < 0.1 ? brackets(random) : feed, random).toWellFormed();
}
