// Audio and images of the Subsonic API in every way, and shares for people without an account.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLibrary } from '../support/library.ts';
import { OFFLINE, openPhone, type Phone } from '../support/phone.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { toolOrWarn } from '../support/tools.ts';

type Song = {
  id: string;
  albumId: string;
  artistId: string;
  size: number;
  coverArt: string;
  title: string;
  duration: number;
  contentType: string;
};
const ffmpeg = toolOrWarn('ffmpeg', 'converted audio for phones is');

let server: TestServer;
let phone: Phone;
let dir: string;
let song: Song;
let original: Buffer;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-media-'));
  const manifest = makeLibrary(
    { tracks: 3, seed: 'bytes', seconds: '6', art: 'embedded', formats: ['flac'] },
    join(dir, 'music'),
  );
  server = await startServer({ env: { ...OFFLINE, LOCAL_MEDIA_IMPORT_PATH: manifest.dir } });
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  phone = await openPhone(server);
  song = (await phone.ask<{ song: Song[] }>('search3', { query: '', songCount: 1 }, 'searchResult3')).song[0] as Song;
  const { source_id: file } = (await server.api<{ source_id: string }>(`/tracks/${song.id.slice(3)}`)).body;
  original = readFileSync(join(manifest.dir, file));
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const stream = (
  params: Record<string, string | number | boolean>,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Response> => phone.bytes('stream', { id: song.id, ...params }, { headers, method });
const readBytes = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

describe('a song', () => {
  it('says where its listener stopped, wherever it is listed', async () => {
    await phone.ask('createBookmark', { id: song.id, position: 1_234 }, '');
    const searchResult = await phone.ask<{ song: Song[] }>('search3', { query: '', songCount: 3 }, 'searchResult3');
    expect(searchResult.song.filter((hit) => 'bookmarkPosition' in hit)).toMatchObject([
      { id: song.id, bookmarkPosition: 1_234 },
    ]);
    await phone.ask('deleteBookmark', { id: song.id }, '');
    expect(await phone.ask('getSong', { id: song.id }, 'song')).not.toHaveProperty('bookmarkPosition');
  });

  it.runIf(ffmpeg)('says what a limited account gets instead of it', async () => {
    expect(await phone.ask('getSong', { id: song.id }, 'song')).not.toHaveProperty('transcodedSuffix');
    const token = await registerUser(server, 'limited');
    const { body: user } = await server.api<{ id: number }>('/users/me', { token });
    await server.api(`/users/${user.id}`, { method: 'PATCH', body: { max_bitrate_kbps: 96 } });
    const limitedPhone = await openPhone(server, { token });
    const { transcodedSuffix, transcodedContentType } = await limitedPhone.ask('getSong', { id: song.id }, 'song');
    const streamAnswer = await limitedPhone.bytes('stream', { id: song.id });
    await streamAnswer.arrayBuffer();
    expect([transcodedSuffix, transcodedContentType]).toEqual(['mp3', streamAnswer.headers.get('content-type')]);
  });
});

describe('original audio', () => {
  it.each([
    ['bytes=0-1', 0, 1],
    ['bytes=1000-', 1_000, -1],
    ['bytes=-500', -500, -1],
    ['bytes=200-299', 200, 299],
  ])('answers %s as mobile players need it', async (range, start, end) => {
    const [from, to] = [start < 0 ? original.length + start : start, end < 0 ? original.length - 1 : end];
    const response = await stream({}, { Range: range });
    expect([response.status, response.headers.get('content-range')]).toEqual([
      206,
      `bytes ${from}-${to}/${original.length}`,
    ]);
    expect((await readBytes(response)).equals(original.subarray(from, to + 1))).toBe(true);
  });

  it('refuses a range beyond the end, with its size', async () => {
    const response = await stream({}, { Range: `bytes=${original.length}-` });
    expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${original.length}`]);
  });

  it('answers HEAD like GET, without the bytes', async () => {
    const head = await stream({}, {}, 'HEAD');
    expect([
      head.status,
      head.headers.get('content-length'),
      head.headers.get('accept-ranges'),
      head.headers.get('content-type'),
    ]).toEqual([200, String(original.length), 'bytes', 'audio/flac']);
  });

  it('is raw despite other parameters, and downloaded as a file', async () => {
    expect((await readBytes(await stream({ format: 'raw', maxBitRate: 32, timeOffset: 3 }))).equals(original)).toBe(
      true,
    );
    const download = await phone.bytes('download', { id: song.id, maxBitRate: 32, format: 'mp3' });
    expect(download.headers.get('content-disposition')).toMatch(/^attachment; filename="/);
    expect((await readBytes(download)).equals(original)).toBe(true);
  });

  it('is an XML error for an unknown song, and does not count as a play', async () => {
    const response = await phone.bytes('stream', { id: 'tr-999999' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/xml; charset=utf-8']);
    expect(await response.text()).toContain('<error code="70" message="There is no track 999999."/>');
    expect(await phone.ask<Song>('getSong', { id: song.id }, 'song')).toMatchObject({ playCount: 0 });
  });
});

describe.runIf(ffmpeg)('transcoded audio', () => {
  it('is streamed while it is made, and later a seekable file', async () => {
    const live = await stream({ format: 'mp3', maxBitRate: 128 });
    expect([
      live.status,
      live.headers.get('content-type'),
      live.headers.get('accept-ranges'),
      live.headers.get('content-length'),
    ]).toEqual([200, 'audio/mpeg', 'none', null]);
    const wholeBytes = await readBytes(live);
    await expect
      .poll(async () => (await stream({ format: 'mp3', maxBitRate: 128 }, {}, 'HEAD')).headers.get('accept-ranges'))
      .toBe('bytes');
    const middle = await stream({ format: 'mp3', maxBitRate: 128 }, { Range: 'bytes=5000-5999' });
    expect([middle.status, (await readBytes(middle)).equals(wholeBytes.subarray(5_000, 6_000))]).toEqual([206, true]);
  });

  it('answers an iPhone’s first two bytes before it is made', async () => {
    const response = await stream({ format: 'aac' }, { Range: 'bytes=0-1' });
    expect([response.status, response.headers.get('content-range')]).toEqual([
      206,
      expect.stringMatching(/^bytes 0-1\/\d{4,}$/),
    ]);
  });

  it('starts at an offset', async () => {
    const [allBytes, lastBytes] = [
      await readBytes(await stream({ format: 'opus' })),
      await readBytes(await stream({ format: 'opus', timeOffset: 4 })),
    ];
    expect(lastBytes.length).toBeLessThan(allBytes.length * 0.6);
    expect(lastBytes.length).toBeGreaterThan(allBytes.length * 0.1);
  });

  it.each(['mp3', 'ogg', 'm4a'])(
    '%s is exactly as long as was announced, and near what its bit rate says',
    async (format) => {
      const response = await stream({ format, maxBitRate: 64, estimateContentLength: true });
      const announcedLength = Number(response.headers.get('content-length'));
      const bytes = await readBytes(response);
      expect(bytes.length).toBe(announcedLength);
      const end = await stream(
        { format, maxBitRate: 64, estimateContentLength: true },
        { Range: `bytes=${announcedLength - 2_000}-` },
      );
      expect([end.status, await readBytes(end)]).toEqual([206, bytes.subarray(-2_000)]);
      const secondAnswer = await stream({ format, maxBitRate: 64, estimateContentLength: true });
      const finishedBytes = await readBytes(secondAnswer);
      expect(finishedBytes.length).toBe(Number(secondAnswer.headers.get('content-length')));
      expect(finishedBytes.equals(bytes.subarray(0, finishedBytes.length))).toBe(true);
      const { duration_ms: ms } = (await server.api<{ duration_ms: number }>(`/tracks/${song.id.slice(3)}`)).body;
      if (format === 'mp3') expect(announcedLength).toBe(Math.ceil(((ms + 200) * 64) / 8));
      // in six seconds of audio, headers make a difference
      else expect(announcedLength / ((ms * 64) / 8) - 1).toBeLessThan(0.4);
    },
  );

  it('is decided by the server for a client with capabilities', async () => {
    const decide = async (body: object): Promise<Record<string, unknown>> => {
      const response = await fetch(
        phone.address('getTranscodeDecision', { f: 'json', mediaId: song.id, mediaType: 'song' }),
        { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
      );
      const { 'subsonic-response': envelope } = (await response.json()) as {
        'subsonic-response': { transcodeDecision?: Record<string, unknown>; error?: unknown };
      };
      return envelope.transcodeDecision ?? { error: envelope.error };
    };
    expect(
      await decide({
        name: 'x',
        platform: 'y',
        directPlayProfiles: [{ containers: ['flac'], audioCodecs: [], protocols: ['http'] }],
      }),
    ).toMatchObject({ canDirectPlay: true, canTranscode: false });
    const decision = await decide({
      name: 'x',
      platform: 'y',
      directPlayProfiles: [{ containers: ['mp3'], audioCodecs: ['mp3'], protocols: ['http'] }],
      transcodingProfiles: [{ container: 'mp3', audioCodec: 'mp3', protocol: 'http' }],
      maxTranscodingAudioBitrate: 96_000,
    });
    expect(decision).toMatchObject({
      canDirectPlay: false,
      canTranscode: true,
      transcodeReason: ['container not supported'],
      sourceStream: { container: 'flac' },
      transcodeStream: { codec: 'mp3', audioBitrate: 96_000 },
    });
    const token = String(decision['transcodeParams']);
    expect(encodeURIComponent(token)).toBe(token);
    const audio = await phone.bytes('getTranscodeStream', {
      mediaId: song.id,
      mediaType: 'song',
      transcodeParams: token,
      offset: 2,
    });
    expect([audio.status, audio.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    await audio.arrayBuffer();
    for (const [params, status] of [
      [{ transcodeParams: 'nonsense' }, 400],
      [{ transcodeParams: token, mediaId: 'tr-99999' }, 404],
      [{}, 400],
    ] as const) {
      const refusal = await phone.bytes('getTranscodeStream', { mediaId: song.id, mediaType: 'song', ...params });
      expect([refusal.status, refusal.headers.get('content-type')], JSON.stringify(params)).toEqual([
        status,
        'text/plain; charset=utf-8',
      ]);
    }
    expect(await decide([])).toMatchObject({ error: { code: 10 } });
  });

  it('is an HLS playlist on request', async () => {
    const list = await (await phone.bytes('hls', { id: song.id, bitRate: 128 })).text();
    expect(list).toMatch(/^#EXTM3U\n[\s\S]*#EXT-X-ENDLIST\n$/);
    const address = list.split('\n').find((line) => line.startsWith('http')) ?? '';
    expect((await fetch(address)).headers.get('content-type')).toBe('audio/mpeg');
    expect(
      (await (await phone.bytes('hls', { id: song.id, bitRate: [64, 128] })).text()).match(/hls\.m3u8/g),
    ).toHaveLength(2);
  });
});

describe('images', () => {
  it.each(['track', 'album', 'artist', 'coverArt'])(
    'of a song’s %s are sent in the requested size, as JPEG, from the cache',
    async (kind) => {
      const id = { track: song.id, album: song.albumId, artist: song.artistId, coverArt: song.coverArt }[kind] ?? '';
      const picture = await phone.bytes('getCoverArt', { id, size: 150 });
      expect([picture.status, picture.headers.get('content-type'), picture.headers.get('cache-control')]).toEqual([
        200,
        'image/jpeg',
        expect.stringContaining('private'),
      ]);
      expect((await readBytes(picture)).subarray(0, 2).toString('hex')).toBe('ffd8');
      expect(
        (
          await phone.bytes(
            'getCoverArt',
            { id, size: 150 },
            { headers: { 'If-None-Match': picture.headers.get('etag') ?? '' } },
          )
        ).status,
      ).toBe(304);
    },
  );

  it.each(['al-99999', 'pl-99999', 'ir-1', 'dir-0', 'nonsense', '12', '../../etc/passwd'])(
    'of %s are the placeholder',
    async (id) => {
      const picture = await phone.bytes('getCoverArt', { id, size: 1_000_000_000 });
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      expect((await readBytes(picture)).length).toBeGreaterThan(1_000);
    },
  );

  it('are the placeholder in the size that is asked for', async () => {
    for (const [wantedFormat, givenFormat] of [
      [50, 64],
      [320, 300],
      [600, 600],
      [0, 600],
    ] as const) {
      const picture = await readBytes(await phone.bytes('getCoverArt', { id: 'nonsense', size: wantedFormat }));
      expect([wantedFormat, (await sharp(picture).metadata()).width]).toEqual([wantedFormat, givenFormat]);
    }
  });

  it('of size 0 are the originals', async () => {
    const [zero, original] = await Promise.all([
      phone.bytes('getCoverArt', { id: song.coverArt, size: 0 }).then(readBytes),
      phone.bytes('getCoverArt', { id: song.coverArt }).then(readBytes),
    ]);
    expect(zero.equals(original)).toBe(true);
  });

  it('require an id', async () => {
    expect(await (await phone.bytes('getCoverArt')).text()).toContain('code="10"');
    expect(await (await phone.bytes('getCoverArt', { id: song.id, size: 'big' })).text()).toContain('code="0"');
    expect((await phone.bytes('getCoverArt', { id: song.id, size: -5 })).headers.get('content-type')).toBe(
      'image/jpeg',
    );
  });
});

describe('shares', () => {
  type Share = { id: string; url: string; visitCount: number; entry: { id: string }[] };
  const share = async (params: Record<string, string | number | string[]>): Promise<Share> =>
    (await phone.ask<{ share: Share[] }>('createShare', params, 'shares')).share[0] as Share;

  it('can be played by everybody with the URL, and nothing else', async () => {
    const { url, id } = await share({ id: song.id, description: '<b>For</b> "you" & all' });
    const page = await fetch(url);
    expect([page.status, page.headers.get('content-type'), page.headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'private, no-store',
    ]);
    const html = await page.text();
    expect(html).toContain('<title>&lt;b&gt;For&lt;/b&gt; &quot;you&quot; &amp; all</title>');
    expect(html).not.toMatch(/<b>/);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src/);
    const content = (await (await fetch(`${url}/content`)).json()) as { tracks: { position: number }[] };
    expect(content.tracks.map(({ position }) => position)).toEqual([0]);
    const source = `${new URL(url).pathname}/0`;
    expect((await readBytes(await fetch(server.url + source))).equals(original)).toBe(true);
    for (const otherId of [
      source.replace(/0$/, '1'),
      source.replace(/0$/, '-1'),
      `${source}x`,
      '/share/aaaaaaaaaaaaaaaaaaaaaa',
      '/share/aaaaaaaaaaaaaaaaaaaaaa/0',
    ])
      expect((await fetch(server.url + otherId)).status, otherId).not.toBe(200);
    expect(
      (await phone.ask<{ share: Share[] }>('getShares', {}, 'shares')).share.find((item) => item.id === id),
    ).toMatchObject({ visitCount: 1 });
  });

  it('end when they expire, and when they are removed', async () => {
    const expiredShare = await share({ id: song.albumId });
    await phone.ask('updateShare', { id: expiredShare.id, expires: Date.now() - 1_000 }, '');
    expect((await fetch(expiredShare.url)).status).toBe(410);
    expect((await fetch(`${expiredShare.url}/0`)).status).toBe(410);
    await phone.ask('updateShare', { id: expiredShare.id, expires: 0 }, '');
    expect((await fetch(expiredShare.url)).status).toBe(200);
    await phone.ask('deleteShare', { id: expiredShare.id }, '');
    expect((await fetch(expiredShare.url)).status).toBe(404);
  });

  it('belong to their creator, and cannot include another user’s private playlist', async () => {
    const otherPhone = await openPhone(server, { token: await registerUser(server, 'sharer') });
    const { id } = await share({ id: song.id });
    for (const endpoint of ['deleteShare', 'updateShare'])
      expect((await otherPhone.get(endpoint, { id })).body.error?.code, endpoint).toBe(70);
    expect((await otherPhone.ask<{ share: Share[] }>('getShares', {}, 'shares')).share).toEqual([]);
    const ownPlaylist = await phone.ask<{ id: string }>(
      'createPlaylist',
      { name: 'Private', songId: song.id },
      'playlist',
    );
    for (const [endpoint, params] of [
      ['getPlaylist', { id: ownPlaylist.id }],
      ['deletePlaylist', { id: ownPlaylist.id }],
      ['updatePlaylist', { playlistId: ownPlaylist.id, name: 'x' }],
      ['createPlaylist', { playlistId: ownPlaylist.id }],
      ['createShare', { id: ownPlaylist.id }],
    ] as const) {
      expect((await otherPhone.get(endpoint, params)).body.error?.code, endpoint).toBe(70);
    }
    const shareAnswer = await share({ id: [ownPlaylist.id, song.id] });
    expect(shareAnswer.entry).toHaveLength(2);
  });
});
