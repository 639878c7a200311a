// MusicBrainz, Wikidata, Wikipedia and Wikimedia Commons as one local server:
// https://musicbrainz.org/doc/MusicBrainz_API and https://www.mediawiki.org/wiki/API. Tests can make each of them fail
// in its own way.
import { createServer, type ServerResponse } from 'node:http';
import { serve, stop } from './serve.ts';

export type Service = 'musicbrainz' | 'wikidata' | 'wikipedia' | 'commons' | 'files';
/**
 * `page` is the sign-in page of a network, `half` is JSON without the important fields, `cut` breaks the connection.
 */
export type Fault = 'busy' | 'limit' | 'page' | 'half' | 'cut' | 'huge' | 'inside';

interface FakeSubject {
  kind: 'artist' | 'release-group' | 'label';
  mbid: string;
  name: string;
  type?: string;
  country?: string;
  area?: string;
  begin?: string;
  end?: string;
  disambiguation?: string;
  /** Members of a group. */
  members?: { mbid: string; name: string; begin?: string; end?: string }[];
  /** Addresses by type of relation. */
  links?: Record<string, string>;
  /** Artist of a release group. */
  artist?: { mbid: string; name: string };
  labels?: { mbid: string; name: string }[];
  /** Id of the Wikidata item. */
  item?: string;
}
interface FakeItem {
  claims?: Record<string, (string | { id: string })[]>;
  /** Titles by wiki, such as `enwiki`. */
  sitelinks?: Record<string, string>;
}
interface FakeArticle {
  extract: string;
  item: string;
  isDisambiguation?: boolean;
}
interface FakeFile {
  bytes: Buffer;
  /** Artist as HTML, as Commons sends it. */
  artist?: string;
  licence?: string;
  licenceUrl?: string;
  category?: string;
  /** Replaces the address of the scaled copy. */
  thumbUrl?: string;
}

export type Encyclopedia = Awaited<ReturnType<typeof startEncyclopedia>>;

export async function startEncyclopedia() {
  const subjects = new Map<string, FakeSubject>();
  const items = new Map<string, FakeItem>();
  /** Articles by `language/Title`, such as `en/Title`. */
  const articles = new Map<string, FakeArticle>();
  const files = new Map<string, FakeFile>();
  const requests: { service: Service; url: string; userAgent: string; timeMs: number }[] = [];
  const faults = new Map<Service, Fault>();

  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://fake');
    const [, firstSegment = '', secondSegment = ''] = url.pathname.split('/');
    const service = (firstSegment === 'files' ? 'files' : firstSegment) as Service;
    requests.push({
      service,
      url: req.url ?? '',
      userAgent: req.headers['user-agent'] ?? '',
      timeMs: performance.now(),
    });
    const fault = faults.get(service);
    if (fault) return fail(res, fault);
    const json = (body: unknown, status = 200): void =>
      void res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
    if (service === 'musicbrainz') return musicBrainz(url, json);
    if (service === 'wikidata') return json(wikidata(url.searchParams));
    if (service === 'wikipedia') return json(wikipedia(secondSegment, url.searchParams));
    if (service === 'commons') return json(commons(url.searchParams));
    const file = files.get(decodeURIComponent(secondSegment));
    if (!file) return void res.writeHead(404).end();
    res.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': file.bytes.length }).end(file.bytes);
  });

  function fail(res: ServerResponse, fault: Fault): void {
    if (fault === 'cut') return void res.socket?.destroy();
    if (fault === 'busy') return void res.writeHead(503, { 'retry-after': '0' }).end('{"error":"busy"}');
    if (fault === 'limit') return void res.writeHead(429, { 'content-type': 'text/html' }).end('<html>Too many</html>');
    if (fault === 'inside') return void res.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    if (fault === 'half') return void res.writeHead(200, { 'content-type': 'application/json' }).end('{"id":null}');
    if (fault === 'huge') {
      res.writeHead(200, { 'content-type': 'application/json' });
      const piece = Buffer.alloc(1 << 20, 32);
      for (let i = 0; i < 24; i++) res.write(piece);
      return void res.end();
    }
    res.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in to this network</html>');
  }

  function musicBrainz(url: URL, json: (body: unknown, status?: number) => void): void {
    const [, , , , kind = '', id] = url.pathname.split('/');
    const answerMissing = (): void =>
      json({ error: 'Not Found', help: 'For usage, please see: https://musicbrainz.org' }, 404);
    const query = url.searchParams.get('query');
    if (kind === 'release-group' && query !== null) {
      const [, title = '', artist = ''] = /^releasegroup:"(.*)" AND artist:"(.*)"$/.exec(query) ?? [];
      const matches = [...subjects.values()].filter(
        (candidate) =>
          candidate.kind === 'release-group' &&
          includesText(candidate.name, title) &&
          includesText(candidate.artist?.name ?? '', artist),
      );
      return json({
        created: '2026-11-22T00:00:00.000Z',
        count: matches.length,
        offset: 0,
        'release-groups': matches.slice(0, 50).map((match) => ({
          id: match.mbid,
          score: 100,
          title: match.name,
          'first-release-date': match.begin ?? '',
          'primary-type': 'Album',
          'artist-credit': [
            { name: match.artist?.name, artist: { id: match.artist?.mbid, name: match.artist?.name, 'sort-name': '' } },
          ],
        })),
      });
    }
    if (kind === 'artist' && query !== null) {
      const matches = [...subjects.values()].filter(
        (candidate) => candidate.kind === 'artist' && includesText(candidate.name, query.slice(1, -1)),
      );
      return json({
        count: matches.length,
        artists: matches.slice(0, 20).map((match) => ({ score: 100, ...entityOf(match), relations: undefined })),
      });
    }
    if (kind === 'release') {
      const labels = subjects.get(`release-group ${url.searchParams.get('release-group')}`)?.labels ?? [];
      return json({
        'release-count': 1,
        'release-offset': 0,
        releases: [{ id: 'r', 'label-info': labels.map(({ mbid, name }) => ({ label: { id: mbid, name } })) }],
      });
    }
    const subject = subjects.get(`${kind} ${id}`);
    if (!subject) return answerMissing();
    json(entityOf(subject));
  }

  function wikidata(params: URLSearchParams): unknown {
    const id = params.get('ids') ?? '';
    const item = items.get(id);
    if (!item) return { entities: { [id]: { id, missing: true } }, success: 1 };
    const claims = Object.fromEntries(
      Object.entries(item.claims ?? {}).map(([property, values]) => [
        property,
        values.map((value) => ({
          mainsnak: {
            snaktype: 'value',
            property,
            datavalue: { value, type: typeof value === 'string' ? 'string' : 'wikibase-entityid' },
          },
          type: 'statement',
          rank: 'normal',
        })),
      ]),
    );
    const wantedSites = params.get('sitefilter')?.split('|') ?? [];
    const links = Object.entries(item.sitelinks ?? {}).filter(([site]) => wantedSites.includes(site));
    return {
      entities: {
        [id]: {
          type: 'item',
          id,
          claims: Object.keys(claims).length === 0 ? [] : claims,
          sitelinks:
            links.length === 0
              ? []
              : Object.fromEntries(links.map(([site, title]) => [site, { site, title, badges: [] }])),
        },
      },
      success: 1,
    };
  }

  function wikipedia(language: string, params: URLSearchParams): unknown {
    const title = params.get('titles') ?? '';
    const article = articles.get(`${language}/${title}`);
    if (!article) return { batchcomplete: true, query: { pages: [{ ns: 0, title, missing: true }] } };
    return {
      batchcomplete: true,
      query: {
        pages: [
          {
            pageid: 1,
            ns: 0,
            title,
            extract: article.extract,
            pageprops: { wikibase_item: article.item, ...(article.isDisambiguation && { disambiguation: '' }) },
          },
        ],
      },
    };
  }

  function commons(params: URLSearchParams): unknown {
    const category = params.get('gcmtitle')?.replace('Category:', '');
    const names =
      category === undefined
        ? (params.get('titles') ?? '').split('|').map((title) => title.replace('File:', ''))
        : [...files].filter(([, file]) => file.category === category).map(([name]) => name);
    if (names.length === 0) return { batchcomplete: true };
    const pages = names.map((name) => {
      const file = files.get(name);
      if (!file) return { ns: 6, title: `File:${name}`, missing: true };
      const meta = (value: string | undefined) => value !== undefined && { value, source: 'commons-desc-page' };
      const { artist, licence, licenceUrl } = file;
      return {
        pageid: 1,
        ns: 6,
        title: `File:${name}`,
        imagerepository: 'local',
        imageinfo: [
          {
            size: file.bytes.length,
            width: 3_000,
            height: 2_000,
            thumburl: file.thumbUrl ?? `${address}/files/${encodeURIComponent(name)}`,
            thumbwidth: 1_200,
            thumbheight: 800,
            url: `${address}/files/${encodeURIComponent(name)}`,
            descriptionurl: `https://commons.wikimedia.org/wiki/File:${encodeURIComponent(name)}`,
            mime: 'image/jpeg',
            extmetadata: {
              ...(artist !== undefined && { Artist: meta(artist) }),
              ...(licence !== undefined && { LicenseShortName: meta(licence) }),
              ...(licenceUrl !== undefined && { LicenseUrl: meta(licenceUrl) }),
            },
          },
        ],
      };
    });
    return { batchcomplete: true, query: { pages } };
  }

  const address = await serve(server);
  return {
    env: {
      MUSICBRAINZ_BASE_URL: `${address}/musicbrainz`,
      WIKIDATA_BASE_URL: `${address}/wikidata`,
      WIKIPEDIA_BASE_URL: `${address}/wikipedia/{language}`,
      COMMONS_BASE_URL: `${address}/commons`,
    },
    items,
    articles,
    files,
    faults,
    requests,
    add: (subject: FakeSubject): void => void subjects.set(`${subject.kind} ${subject.mbid}`, subject),
    clear(): void {
      for (const store of [subjects, items, articles, files, faults]) store.clear();
      requests.length = 0;
    },
    close: () => stop(server),
  };
}

const includesText = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

function entityOf(subject: FakeSubject): Record<string, unknown> {
  const relation = { begin: null, end: null, ended: false, attributes: [], 'source-credit': '', 'target-credit': '' };
  const urls = { ...subject.links, ...(subject.item && { wikidata: `https://www.wikidata.org/wiki/${subject.item}` }) };
  return {
    id: subject.mbid,
    ...(subject.kind === 'release-group' ? { title: subject.name } : { name: subject.name, 'sort-name': subject.name }),
    type: subject.type ?? null,
    country: subject.country ?? null,
    area: subject.area === undefined ? null : { id: 'area', name: subject.area },
    'life-span': { begin: subject.begin ?? null, end: subject.end ?? null, ended: subject.end !== undefined },
    disambiguation: subject.disambiguation ?? '',
    relations: [
      ...Object.entries(urls).map(([type, resource]) => ({
        ...relation,
        type,
        'target-type': 'url',
        direction: 'forward',
        url: { id: 'url', resource },
      })),
      ...(subject.members ?? []).map(({ mbid, name, begin, end }) => ({
        ...relation,
        type: 'member of band',
        'target-type': 'artist',
        direction: 'backward',
        begin: begin ?? null,
        end: end ?? null,
        ended: end !== undefined,
        artist: { id: mbid, name, 'sort-name': name },
      })),
    ],
  };
}
