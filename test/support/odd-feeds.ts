// Some fifty feeds as they occur: well-formed, sloppy, in old formats and charsets, and hostile. Each row of the table
// is a feed with its expected content, or the reason why it is rejected.
const AUDIO = 'https://cdn.example/one.mp3';
const enclosure = `<enclosure url="${AUDIO}" length="1000" type="audio/mpeg"/>`;
const titled = (title: string): string => item('<title>' + title + `</title>${enclosure}`);
/** Makes an item with this enclosure. */
const withFile = (attributes: string, previousElements = ''): string =>
  rss(item(`<title>One</title>${previousElements}<enclosure ${attributes}/>`));
const item = (inner: string): string => `<item>${inner}</item>`;
const rss = (inner: string, head = '<?xml version="1.0"?>'): string =>
  `${head}<rss version="2.0"><channel><title>Cast</title>${inner}</channel></rss>`;
const feedWithItem = (inner: string): string => rss(item(`<title>One</title><guid>1</guid>${enclosure}${inner}`));
const atom = (inner: string): string =>
  `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Cast</title>${inner}</feed>`;

interface OddFeed {
  about: string;
  feed: string | Uint8Array;
  contentType?: string;
  /** Titles of the episodes; null if the text is not a feed. */
  titles: string[] | null;
  /** Fields of the first episode. */
  first?: Record<string, unknown>;
  /** Fields of the feed. */
  head?: Record<string, unknown>;
}

const bomb = Array.from({ length: 20 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
const utf16 = (text: string): Uint8Array => Buffer.from(`\ufeff${text}`, 'utf16le');

export const ODD_FEEDS: OddFeed[] = [
  { about: 'RSS 2.0', feed: feedWithItem(''), titles: ['One'], head: { title: 'Cast' } },
  { about: 'no episodes', feed: rss(''), titles: [] },
  {
    about: 'RSS 1.0, with items beside the channel',
    titles: ['One'],
    feed: `<rdf:RDF><channel><title>Cast</title></channel>${titled('One')}</rdf:RDF>`,
  },
  {
    about: 'Atom',
    titles: ['One'],
    feed: atom(
      `<entry><id>x</id><title>One</title><published>2020-01-02T03:04:05Z</published>
        <link rel="enclosure" href="${AUDIO}" length="5"/></entry>`,
    ),
    first: { guid: 'x', sizeBytes: 5, publishedAt: new Date('2020-01-02T03:04:05Z') },
  },
  {
    about: 'Atom with other links',
    titles: ['One'],
    feed: atom(
      `<entry><title>One</title><link href="https://x.example/"/><link rel="enclosure" href="${AUDIO}"/></entry>`,
    ),
    first: { guid: AUDIO },
  },
  {
    about: 'Atom with a title of HTML',
    titles: ['Fish & Chips'],
    feed: atom(
      `<entry><title type="html">&lt;b&gt;Fish&lt;/b&gt; &amp;amp; Chips</title>
        <link rel="enclosure" href="${AUDIO}"/></entry>`,
    ),
  },
  {
    about: 'media:content instead of an enclosure',
    titles: ['One'],
    feed: rss(item(`<title>One</title><media:content url="${AUDIO}" type="audio/mpeg" fileSize="77" duration="61"/>`)),
    first: { sizeBytes: 77, durationMs: 61_000 },
  },
  { about: 'an item with text only', feed: rss(item('<title>Blog</title>')), titles: [] },
  {
    about: 'an item with a picture only',
    feed: withFile('url="https://x.example/a.jpg" type="image/jpeg"'),
    titles: [],
  },
  { about: 'an item with a video only', feed: withFile('url="https://x.example/a.mp4" type="video/mp4"'), titles: [] },
  {
    about: 'a picture before the audio',
    feed: rss(item(`<title>One</title><enclosure url="https://x.example/a.jpg" type="image/jpeg"/>${enclosure}`)),
    titles: ['One'],
    first: { audioUrl: AUDIO },
  },
  { about: 'an enclosure without a type', feed: withFile(`url="${AUDIO}"`), titles: ['One'] },
  {
    about: 'an enclosure called application/octet-stream',
    feed: withFile(`url="${AUDIO}" type="application/octet-stream"`),
    titles: ['One'],
  },
  { about: 'an enclosure without an address', feed: withFile('type="audio/mpeg"'), titles: [] },
  {
    about: 'an address relative to the feed',
    feed: withFile('url="/a/b.mp3"'),
    titles: ['One'],
    first: { audioUrl: 'https://feeds.example/a/b.mp3' },
  },
  {
    about: 'an address with blanks around it',
    feed: withFile(`url="  ${AUDIO}\n"`),
    titles: ['One'],
    first: { audioUrl: AUDIO },
  },
  {
    about: 'an address of a file of the server',
    feed: withFile('url="file:///etc/passwd" type="audio/mpeg"'),
    titles: [],
  },
  { about: 'an address of a script', feed: withFile('url="javascript:alert(1)" type="audio/mpeg"'), titles: [] },
  { about: 'an address that is very long', feed: withFile(`url="https://x.example/${'a'.repeat(5_000)}"`), titles: [] },
  { about: 'no titles', feed: rss(item(enclosure)), titles: ['one.mp3'] },
  { about: 'an empty title', feed: rss(titled(' ')), titles: ['one.mp3'] },
  { about: 'a very long title', feed: rss(titled('x'.repeat(9_000))), titles: ['x'.repeat(500)] },
  {
    about: 'markup in a title',
    feed: rss(item(`<title><![CDATA[<script>alert(1)</script>Fine]]></title>${enclosure}`)),
    titles: ['alert(1)Fine'],
  },
  {
    about: 'a title of the image beside that of the channel',
    feed: rss(`<image><title>Logo</title><url>https://x.example/i.png</url></image>${titled('One')}`),
    titles: ['One'],
    head: { title: 'Cast', imageUrl: 'https://x.example/i.png' },
  },
  {
    about: 'an image of iTunes',
    feed: rss('<itunes:image href="https://x.example/i.jpg"/>'),
    titles: [],
    head: { imageUrl: 'https://x.example/i.jpg' },
  },
  {
    about: 'an image with another scheme',
    feed: rss('<itunes:image href="data:image/png;base64,AAAA"/>'),
    titles: [],
    head: { imageUrl: null },
  },
  {
    about: 'a title of iTunes beside the usual one',
    feed: feedWithItem('<itunes:title>Other</itunes:title>'),
    titles: ['One'],
  },
  {
    about: 'the same guid twice',
    feed: rss(item(`<title>A</title><guid>1</guid>${enclosure}`) + item(`<title>B</title><guid>1</guid>${enclosure}`)),
    titles: ['A'],
  },
  {
    about: 'two items without guid',
    feed: rss(
      item(`<title>A</title><enclosure url="https://x.example/a.mp3"/>`) +
        item(`<title>B</title><enclosure url="https://x.example/b.mp3"/>`),
    ),
    titles: ['A', 'B'],
  },
  {
    about: 'a duration of hours',
    feed: feedWithItem('<itunes:duration>1:02:03</itunes:duration>'),
    titles: ['One'],
    first: { durationMs: 3_723_000 },
  },
  {
    about: 'a duration of minutes',
    feed: feedWithItem('<itunes:duration>62:03</itunes:duration>'),
    titles: ['One'],
    first: { durationMs: 3_723_000 },
  },
  {
    about: 'a duration of seconds',
    feed: feedWithItem('<itunes:duration> 3723.5 </itunes:duration>'),
    titles: ['One'],
    first: { durationMs: 3_723_000 },
  },
  {
    about: 'a duration of words',
    feed: feedWithItem('<itunes:duration>an hour</itunes:duration>'),
    titles: ['One'],
    first: { durationMs: null },
  },
  {
    about: 'a duration of years',
    feed: feedWithItem('<itunes:duration>999:99:99</itunes:duration>'),
    titles: ['One'],
    first: { durationMs: null },
  },
  {
    about: 'a date with a zone of letters',
    feed: feedWithItem('<pubDate>Tue, 05 Sep 2017 10:00:00 EST</pubDate>'),
    titles: ['One'],
    first: { publishedAt: new Date('2017-09-05T15:00:00Z') },
  },
  {
    about: 'a date with Sept',
    feed: feedWithItem('<pubDate>Tue, 5 Sept 2017 10:00:00 +0200</pubDate>'),
    titles: ['One'],
    first: { publishedAt: new Date('2017-09-05T08:00:00Z') },
  },
  {
    about: 'a date that is none',
    feed: feedWithItem('<pubDate>yesterday</pubDate>'),
    titles: ['One'],
    first: { publishedAt: null },
  },
  {
    about: 'a length that is none',
    feed: withFile(`url="${AUDIO}" length="big"`),
    titles: ['One'],
    first: { sizeBytes: null },
  },
  {
    about: 'a negative length',
    feed: withFile(`url="${AUDIO}" length="-1"`),
    titles: ['One'],
    first: { sizeBytes: null },
  },
  {
    about: 'a description of HTML',
    feed: feedWithItem('<description><![CDATA[<p>A &amp; B</p><p>C<br/>D</p>]]></description>'),
    titles: ['One'],
    first: { description: 'A & B\nC\nD' },
  },
  {
    about: 'a description of a megabyte',
    feed: feedWithItem(`<description>${'word '.repeat(200_000)}</description>`),
    titles: ['One'],
  },
  { about: 'entities of HTML', feed: rss(titled('Caf&eacute; &amp; more')), titles: ['Café & more'] },
  { about: 'an ampersand that is not escaped', feed: rss(titled('Fish & Chips')), titles: ['Fish & Chips'] },
  {
    about: 'tags that are not closed',
    feed: `<rss><channel><title>Cast</title><item><title>One</title>${enclosure}</item></channel>`,
    titles: ['One'],
  },
  {
    about: 'tags closed in the wrong order',
    feed: rss(`<item><b><title>One</title></i></b>${enclosure}</item>`),
    titles: ['one.mp3'],
  },
  { about: 'a feed that is cut off', feed: feedWithItem('<description>it goes on and').slice(0, -30), titles: [] },
  { about: 'something before the declaration', feed: `\n\n  ${feedWithItem('')}`, titles: ['One'] },
  { about: 'a byte order mark', feed: `\ufeff${feedWithItem('')}`, titles: ['One'] },
  { about: 'upper case', feed: feedWithItem('').toUpperCase().replaceAll(AUDIO.toUpperCase(), AUDIO), titles: ['ONE'] },
  {
    about: 'ISO 8859-1, as it says itself',
    feed: Buffer.from(rss(titled('Été'), '<?xml version="1.0" encoding="ISO-8859-1"?>'), 'latin1'),
    titles: ['Été'],
  },
  {
    about: 'ISO 8859-1, as the server says',
    feed: Buffer.from(rss(titled('Été')), 'latin1'),
    contentType: 'text/xml; charset=iso-8859-1',
    titles: ['Été'],
  },
  { about: 'UTF-16', feed: utf16(feedWithItem('')), titles: ['One'] },
  {
    about: 'a charset that nobody knows',
    feed: rss(titled('One'), '<?xml version="1.0" encoding="klingon"?>'),
    titles: ['One'],
  },
  {
    about: 'entities that grow (a billion laughs)',
    feed: `<!DOCTYPE lolz [<!ENTITY l0 "ha">${bomb}]>${rss(titled('&l20;'))}`,
    titles: ['&l20;'],
  },
  {
    about: 'an entity that names a file',
    feed: `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${rss(titled('&f;'))}`,
    titles: ['&f;'],
  },
  { about: 'a declaration without end', feed: `<rss><!${'A'.repeat(2_000_000)}`, titles: [] },
  {
    about: 'declarations in front, in a comment and in a text',
    feed: `< !${'A'.repeat(500_000)}>${rss(item(`<!-- <!x --><title><![CDATA[I <!]]></title>${enclosure}`))}`,
    titles: ['I'],
  },
  { about: 'elements in elements without end', feed: `<rss>${'<a>'.repeat(100_000)}`, titles: null },
  {
    about: 'attributes without end',
    feed: `<rss ${Array.from({ length: 20_000 }, (_, n) => `a${n}=""`).join(' ')}></rss>`,
    titles: null,
  },
  { about: 'an attribute without end', feed: `<rss a="${'x'.repeat(300_000)}`, titles: null },
  {
    about: 'more items than anybody has heard',
    feed: rss(
      Array.from({ length: 3_000 }, (_, n) =>
        item(`<title>${n}</title><enclosure url="https://x.example/${n}.mp3"/>`),
      ).join(''),
    ),
    titles: Array.from({ length: 2_000 }, (_, n) => String(n)),
  },
  {
    about: 'a page of HTML',
    feed: '<!doctype html><html><head><title>Cast</title></head><body>feed</body></html>',
    titles: null,
  },
  { about: 'JSON', feed: '{"items": []}', titles: null },
  { about: 'nothing', feed: '', titles: null },
  { about: 'audio', feed: Buffer.alloc(5_000, 0xff), titles: null },
];
