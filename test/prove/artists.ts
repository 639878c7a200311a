// Pairs of artists with the same name, at MusicBrainz, Wikidata, Wikipedia and Commons: the displayed information must
// be about the right one. Half of them have their mbid in the tags; the others can be identified by an album. Some
// pages mislead: a Wikidata item of the namesake, an article about another subject, a disambiguation page, a link that
// leads to the namesake.
import type { ArtistAbout } from '../../server/about/wire.ts';
import { LOOKUP_ABOUT } from '../../server/about/tasks.ts';
import sharp from 'sharp';
import { startEncyclopedia, type Encyclopedia } from '../fakes/encyclopedia.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startServer, type TestServer } from '../support/server.ts';

const NAMESAKE_TRAPS = [
  'none',
  'none',
  'none',
  'item of the namesake',
  'article of another',
  'disambiguation',
  'no licence',
] as const;
type Trap = (typeof NAMESAKE_TRAPS)[number];

interface ArtistsResult {
  wrongAnswers: string[];
  answerable: number;
  answeredCount: number;
}

export async function proveNamesakes(seed: number, names: number): Promise<ArtistsResult> {
  const random = seededRandom(seed);
  const picture = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#246' } })
    .jpeg()
    .toBuffer();
  const services = await startEncyclopedia();
  const server = await startServer({
    env: { ...services.env, ARTIST_INFO_ENABLED: 'true' },
    musicBrainzPerSecond: 10_000,
    wikimediaPerSecond: 10_000,
  });
  try {
    const tracks = trackMaker(server.app);
    const cases = Array.from({ length: names }, (_, n) => {
      const trap = NAMESAKE_TRAPS[Math.floor(random() * NAMESAKE_TRAPS.length)] as Trap;
      const isTagged = n % 2 === 0;
      return { ...makeNamesakes(services, n, trap, picture), trap, isTagged };
    });
    for (const { name, rightMbid, isTagged, album } of cases)
      tracks.add({ title: 'One', album, artists: [name], ...(isTagged && { artistMbids: [rightMbid] }) });
    await server.app.jobs.enqueue(LOOKUP_ABOUT, {});
    await server.app.drain();
    return await judge(server, cases);
  } finally {
    await server.close();
    await services.close();
  }
}

interface Case {
  name: string;
  rightMbid: string;
  trap: Trap;
  isTagged: boolean;
}

async function judge(server: TestServer, cases: readonly Case[]): Promise<ArtistsResult> {
  const result: ArtistsResult = { wrongAnswers: [], answerable: 0, answeredCount: 0 };
  const findId = server.app.db.$client.prepare<[string], number>('SELECT id FROM artists WHERE name = ?').pluck();
  for (const { name, rightMbid, trap, isTagged } of cases) {
    const { body } = await server.api<ArtistAbout>(`/artists/${findId.get(name)}/about`);
    const answer = JSON.stringify(body);
    if (answer.includes('namesake') || (body.artist_mbid !== null && body.artist_mbid !== rightMbid))
      result.wrongAnswers.push(`${name} (${trap}${isTagged ? ', tagged' : ''}): ${answer}`);
    const hasText = body.about?.text?.text.includes(`right ${name}`) === true;
    const hasPicture = body.picture?.author === `Author of the right ${name}`;
    const hasAll = body.about?.country === 'DE' && body.people.length === 1;
    const wanted = { text: !['item of the namesake', 'article of another', 'disambiguation'].includes(trap) };
    const wantsPicture = trap !== 'item of the namesake' && trap !== 'no licence';
    result.answerable++;
    if (hasAll && hasText === wanted.text && hasPicture === wantsPicture) result.answeredCount++;
  }
  return result;
}

function makeNamesakes(
  services: Encyclopedia,
  n: number,
  trap: Trap,
  picture: Buffer,
): { name: string; rightMbid: string; album: string } {
  const name = `Double ${n} Band`;
  const album = `Harbour ${n}`;
  const mbidOf = (kind: number): string =>
    `${String(n).padStart(8, '0')}-0000-4000-8000-${String(kind).padStart(12, '0')}`;
  const makeArtist = (role: 'right' | 'namesake', k: number): void => {
    const item = `Q${1_000 + n * 10 + k}`;
    const mbid = mbidOf(k);
    const otherRole = role === 'right' ? 'namesake' : 'right';
    services.add({
      kind: 'artist',
      mbid,
      name,
      type: 'Group',
      country: role === 'right' ? 'DE' : 'FR',
      begin: '1990',
      item: role === 'right' && trap === 'item of the namesake' ? `Q${1_000 + n * 10 + 2}` : item,
      members: [{ mbid: mbidOf(k + 4), name: `Member of the ${role}` }],
    });
    services.add({
      kind: 'release-group',
      mbid: mbidOf(k + 6),
      name: role === 'right' ? album : `Other ${album}`,
      artist: { mbid, name },
    });
    const title = `${name} (${role})`;
    services.items.set(item, {
      claims: { P434: [mbid], P18: [`${title}.jpg`] },
      sitelinks: { enwiki: title },
    });
    services.articles.set(`en/${title}`, {
      extract: `About the ${role} ${name}.`,
      item: role === 'right' && trap === 'article of another' ? 'Q1' : item,
      ...(trap === 'disambiguation' && { isDisambiguation: true, extract: `May refer to the ${otherRole}.` }),
    });
    services.files.set(`${title}.jpg`, {
      bytes: picture,
      artist: `<a href="//example.org">Author of the ${role} ${name}</a>`,
      ...(trap !== 'no licence' && { licence: 'CC BY-SA 4.0' }),
    });
  };
  makeArtist('right', 1);
  makeArtist('namesake', 2);
  return { name, rightMbid: mbidOf(1), album };
}

export async function proveArtists({ seed, runs = 500 }: { seed: number; runs: number | undefined }): Promise<boolean> {
  const { wrongAnswers, answerable, answeredCount } = await proveNamesakes(seed, runs);
  console.log(`${answeredCount} of ${answerable} answered, ${wrongAnswers.length} wrong (seed ${seed})`);
  for (const fault of wrongAnswers.slice(0, 10)) console.log(fault);
  return wrongAnswers.length === 0 && answeredCount >= answerable * 0.95;
}
