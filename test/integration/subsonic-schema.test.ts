// Checks every envelope of the Subsonic API, in XML and JSON, against the published descriptions, with a full library,
// an empty one, and one with a single track. Also compares with golden files, one for each case, without values that
// change between runs: `npx vitest run -u` rewrites them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLibrary } from '../support/library.ts';
import { OFFLINE, openPhone, type Phone, type PhoneParams } from '../support/phone.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { findIds, readCases, writeCases, type CaseIds } from '../support/subsonic-cases.ts';
import { describedEndpoints, jsonFaults, xmlFaults, type XmlDocument } from '../support/subsonic-schema.ts';

const GOLDEN_DIR = join(import.meta.dirname, '..', 'fixtures', 'subsonic');
const LIBRARY_SIZES = { full: 30, 'of one track': 1, empty: 0 };

/** Replaces ids by numbers in the order of their first appearance, so that a file does not depend on row ids. */
function normal(text: string): string {
  const replacedValues = new Map<string, string>();
  return text
    .replace(/"?\d{4}-\d\d-\d\dT[\d:.]+Z"?/g, '"<time>"')
    .replace(/(lastModified"?[:=] ?"?)\d+/g, '$1<ms>')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://server')
    .replace(/([?&;]t=)[0-9a-f]{32}/g, '$1<token>')
    .replace(/\/share\/[\w-]{16,}/g, '/share/<secret>')
    .replace(/(\/pictures\/\w+-)[\w-]+/g, '$1<signed>')
    .replace(/\b(tr|al|ar|dir|pl|ir|sh|pc|pe)-\d+(?:-([0-9a-z]+))?/g, (id, kind: string, mark?: string) => {
      const key = id.replace(/-[0-9a-z]+$/, (end) => (mark === undefined ? end : ''));
      if (!replacedValues.has(key))
        replacedValues.set(
          key,
          `${kind}-${[...replacedValues.keys()].filter((replacement) => replacement.startsWith(kind)).length + 1}`,
        );
      return `${replacedValues.get(key)}${mark === undefined ? '' : '-mark'}`;
    });
}

const pretty = (text: string): string => `${JSON.stringify(JSON.parse(text), null, 1)}\n`;
const broken = (xml: string): string => xml.replace(/></g, '>\n<');

describe.each(Object.entries(LIBRARY_SIZES))('with a library that is %s', (name, tracks) => {
  let server: TestServer;
  let dir: string;
  let phone: Phone;
  let legacy: Phone;
  let ids: CaseIds;
  const documents: { open: XmlDocument[]; legacy: XmlDocument[] } = { open: [], legacy: [] };

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tonearm-subsonic-'));
    if (tracks > 0)
      makeLibrary({ tracks, seed: 'phones', seconds: '2', art: 'embedded', formats: ['flac'] }, join(dir, 'music'));
    server = await startServer({
      env: { ...OFFLINE, ...(tracks > 0 && { LOCAL_MEDIA_IMPORT_PATH: join(dir, 'music') }) },
    });
    if (tracks > 0) {
      await server.api('/sources/local_folder/scan', { method: 'POST' });
      await server.app.drain();
    }
    phone = await openPhone(server);
    legacy = await openPhone(server, { client: 'DSub', version: '1.2.0' });
    await server.api('/playlists', { method: 'POST', body: { name: 'Mine', is_public: true } });
    await phone.get('createInternetRadioStation', { name: 'Live', streamUrl: 'http://example.com/live' });
    ids = await findIds(phone);
    if (tracks > 0) {
      for (const [endpoint, params] of preparationCalls(ids)) await phone.ask(endpoint, params, '');
      ids = await findIds(phone);
    }
  });
  afterAll(async () => {
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const preparationCalls = ({ track, album, artist }: CaseIds): [string, PhoneParams][] => [
    ['star', { id: [track, album, artist] }],
    ['setRating', { id: track, rating: 5 }],
    ['setRating', { id: album, rating: 3 }],
    ['scrobble', { id: track, time: 1_600_000_000_000 }],
    ['createShare', { id: track }],
  ];

  async function check(label: string, endpoint: string, params: PhoneParams): Promise<void> {
    const json = await phone.get(endpoint, params);
    expect(json.status, label).toBe(200);
    expect(jsonFaults(endpoint, JSON.parse(json.text)), `${label}: ${json.text.slice(0, 500)}`).toEqual([]);
    if (tracks === 1) await expect(normal(pretty(json.text))).toMatchFileSnapshot(fileOf(label, 'json'));
  }

  /**
   * Returns the path of the golden file of a case; these are of the library with one track, in which nothing is random.
   */
  const fileOf = (label: string, extension: string): string =>
    `${join(GOLDEN_DIR, label.replaceAll(' ', '-'))}.${extension}`;

  it('answers every reading call according to the description', async () => {
    for (const [label, endpoint, params] of readCases(ids)) {
      await check(label, endpoint, params);
      const xml = await phone.xml(endpoint, params);
      if (tracks === 1) await expect(normal(broken(xml))).toMatchFileSnapshot(fileOf(label, 'xml'));
      documents.open.push({ name: label, xml });
      documents.legacy.push({ name: label, xml: await legacy.xml(endpoint, params) });
    }
  });

  it('answers every writing call according to the description', async () => {
    for (const [label, endpoint, params] of writeCases(ids)) {
      await check(label, endpoint, params);
      documents.open.push({ name: label, xml: await phone.xml(endpoint, params) });
    }
    await server.app.drain();
  });

  it('sends XML that is valid by the XSD', ({ skip }) => {
    expect(documents.open.length).toBeGreaterThan(90);
    const faults = xmlFaults(documents.open, 'SUBSONIC_XSD');
    if (!faults) return skip();
    expect(faults).toEqual([]);
  });

  it('sends legacy clients XML that is valid by the original XSD', ({ skip }) => {
    // excludes responses that version 1.16.1 does not have, and the one with an attribute that was a number then
    const newer = /OpenSubsonicExtensions|ByIndex|LyricsBySongId|getPlayQueue|getPodcastEpisode/;
    const faults = xmlFaults(
      documents.legacy.filter(({ name: label }) => !newer.test(label)),
      'SUBSONIC_XSD_LEGACY',
    );
    if (!faults) return skip();
    expect(faults).toEqual([]);
  });

  if (name === 'full') {
    it('has a case for every described endpoint with an envelope', () => {
      const coveredEndpoints = new Set([...readCases(ids), ...writeCases(ids)].map(([, endpoint]) => endpoint));
      const elsewhere = [
        'stream',
        'download',
        'getCoverArt',
        'getAvatar',
        'hls.m3u8',
        'getCaptions',
        'getTranscodeDecision',
        'getTranscodeStream',
        'tokenInfo',
        'findSonicPath',
        'deletePlaylist',
        'deleteShare',
        'deleteInternetRadioStation',
      ];
      expect(
        describedEndpoints().filter((endpoint) => !coveredEndpoints.has(endpoint) && !elsewhere.includes(endpoint)),
      ).toEqual([]);
    });
  }
});
