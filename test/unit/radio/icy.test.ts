import { expect, it } from 'vitest';
import {
  createIcyJoiner,
  createIcySplitter,
  intervalOf,
  IcyIntervalError,
  titleOf,
} from '../../../server/radio/icy.ts';

const encodeTitle = (text: string): Buffer => Buffer.concat([Buffer.from(text), Buffer.alloc(16 - (text.length % 16))]);

it.each<[string, Buffer, string | undefined]>([
  ['plain', encodeTitle("StreamTitle='Ane Brun - Do You Remember';StreamUrl='';"), 'Ane Brun - Do You Remember'],
  ['with quotes in it', encodeTitle("StreamTitle='Don't Stop';"), "Don't Stop"],
  ['cut off', Buffer.from("StreamTitle='Don't St"), "Don't St"],
  ['empty', encodeTitle("StreamTitle='';"), ''],
  ['UTF-8', encodeTitle("StreamTitle='Sigur Rós – Sæglópur 🎵';"), 'Sigur Rós – Sæglópur 🎵'],
  ['Windows-1252', Buffer.from("StreamTitle='Sigur R\xf3s - S\xe6gl\xf3pur';", 'latin1'), 'Sigur Rós - Sæglópur'],
  [
    'Windows-1251',
    Buffer.concat([
      Buffer.from("StreamTitle='"),
      Buffer.from('cae8edee202d20c3f0f3efefe020eaf0eee2e8202d20c7e2e5e7e4e020efee20e8ece5ede820d1eeebedf6e5', 'hex'),
      Buffer.from("';"),
    ]),
    'Кино - Группа крови - Звезда по имени Солнце',
  ],
  ['with control characters', encodeTitle("StreamTitle='a\r\nb\u202e\u0007c';"), 'a b c'],
  ['of another field', encodeTitle("StreamUrl='http://a.example';"), undefined],
  ['nothing but zeros', Buffer.alloc(32), undefined],
])('a title: %s', (_, block, title) => {
  expect(titleOf(block)).toBe(title);
});

it('bytes that are not text are not used as a title', () => {
  expect(() => titleOf(Buffer.alloc(32, 0xaa))).toThrow(IcyIntervalError);
  expect(() => titleOf(Buffer.from('= StreamTitle'))).toThrow(IcyIntervalError);
});

it('an interval is a number of bytes that makes sense', () => {
  expect([null, '0', ' 16000 '].map(intervalOf)).toEqual([undefined, undefined, 16_000]);
  for (const invalidText of ['-1', '1', '99999999999', '1e3', 'x', ''])
    expect(() => intervalOf(invalidText), invalidText).toThrow(IcyIntervalError);
});

it('titles come out of the audio and into it again, wherever it is cut', async () => {
  const audio = Buffer.from(Array.from({ length: 3_000 }, (_, index) => index % 251));
  let title = '';
  const icyJoiner = createIcyJoiner(300, () => title);
  const mixedChunks: Buffer[] = [];
  icyJoiner.on('data', (chunk: Buffer) => mixedChunks.push(chunk));
  for (let offset = 0; offset < audio.length; offset += 100) {
    title = `Part ${Math.floor(offset / 1_000)} ';`;
    icyJoiner.write(audio.subarray(offset, offset + 100));
  }
  await new Promise<void>((resolve) => icyJoiner.end(resolve));
  for (const step of [1, 7, 299, 5_000]) {
    const titles: string[] = [];
    const splitChunk = createIcySplitter(300, (foundTitle) => titles.push(foundTitle));
    const mixedStream = Buffer.concat(mixedChunks);
    const audioChunks: Buffer[] = [];
    for (let offset = 0; offset < mixedStream.length; offset += step)
      audioChunks.push(...splitChunk(mixedStream.subarray(offset, offset + step)));
    expect(Buffer.concat(audioChunks).equals(audio)).toBe(true);
    expect(titles).toEqual(["Part 0 ' ;", "Part 1 ' ;", "Part 2 ' ;"]);
  }
});
