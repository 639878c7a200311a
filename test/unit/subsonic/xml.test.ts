import { describe, expect, it } from 'vitest';
import { Pieces } from '../../../server/http/streamed-lists.ts';
import { formatOf } from '../../../server/subsonic/respond.ts';
import { TextElement, xmlText, type Fields } from '../../../server/subsonic/xml.ts';

async function xml(fields: Fields): Promise<string> {
  let text = '';
  for await (const part of xmlText('r', 'urn:x', fields)) text += part;
  return text.replace(/^.*\n<r xmlns="urn:x"/, '').replace(/\n$/, '');
}

describe('XML', () => {
  it.each<[string, Fields, string]>([
    [
      'scalars as attributes',
      { a: 1, b: true, c: 'x', d: new Date(0), e: undefined },
      ' a="1" b="true" c="x" d="1970-01-01T00:00:00.000Z"/>',
    ],
    ['objects as elements', { album: { id: 'al-1' } }, '><album id="al-1"/></r>'],
    [
      'lists as the element repeated',
      { genres: [{ name: 'Jazz' }, { name: 'Soul' }] },
      '><genres name="Jazz"/><genres name="Soul"/></r>',
    ],
    [
      'lists of scalars as elements with text',
      { versions: [1, 2], moods: ['calm'] },
      '><versions>1</versions><versions>2</versions><moods>calm</moods></r>',
    ],
    ['value as text', { genre: [{ songCount: 1, value: 'Jazz' }] }, '><genre songCount="1">Jazz</genre></r>'],
    ['text elements', { notes: new TextElement('a & b') }, '><notes>a &amp; b</notes></r>'],
    [
      'a list in pieces as a whole one',
      { list: { name: 'x', entry: new Pieces([[{ id: 1 }], [], [{ id: 2 }, { id: 3 }]]), after: { n: 1 } } },
      '><list name="x"><entry id="1"/><entry id="2"/><entry id="3"/><after n="1"/></list></r>',
    ],
    ['an empty list as nothing, its container stays', { playlists: { playlist: [] } }, '><playlists/></r>'],
    [
      'attributes before elements, in whatever order they come',
      { child: [{ id: 1 }], name: 'x' },
      ' name="x"><child id="1"/></r>',
    ],
    [
      'no empty fields of OpenSubsonic',
      { comment: '', bpm: 0, replayGain: {}, title: '', track: 0 },
      ' title="" track="0"/>',
    ],
    [
      'the value of a cue line as an attribute',
      { cueLine: [{ index: 0, value: 'x' }] },
      '><cueLine index="0" value="x"/></r>',
    ],
  ])('writes %s', async (_, fields, expected) => {
    expect(await xml(fields)).toBe(expected);
  });

  it.each([
    ['& < > "', '&amp; &lt; &gt; &quot;'],
    ["it's", "it's"],
    ['tab\there\nand\r', 'tab&#9;here&#10;and&#13;'],
    ['nul\u0000bell\u0007esc\u001b', 'nulbellesc'],
    ['\uffffnot\ufffe', 'not'],
    ['half \ud800', 'half \ufffd'],
    ['🎵 сюда עברית', '🎵 сюда עברית'],
  ])('writes the text %j', async (text, expected) => {
    expect(await xml({ a: text })).toBe(` a="${expected}"/>`);
    expect(await xml({ g: [{ value: text }] })).toBe(`><g>${expected}</g></r>`);
  });
});

describe('the format', () => {
  it.each<[string | undefined, string | undefined, string | undefined, string, boolean]>([
    [undefined, undefined, 'x', 'xml', false],
    ['xml', undefined, 'x', 'xml', false],
    ['json', undefined, 'x', 'json', false],
    ['JSON', undefined, 'x', 'xml', false],
    ['jsonp', 'cb', 'x', 'jsonp', false],
    ['jsonp', 'jQuery1.cb_2', 'x', 'jsonp', false],
    ['jsonp', undefined, 'x', 'json', false],
    ['jsonp', 'alert(1)//', 'x', 'json', false],
    ['jsonp', 'a b', 'x', 'json', false],
    [undefined, undefined, 'DSub', 'xml', true],
    [undefined, undefined, undefined, 'xml', false],
  ])('%s with callback %s by %s is %s', (f, callback, client, kind, legacy) => {
    expect(formatOf(f, callback, client)).toMatchObject({ kind, legacy });
  });
});
