// Tables of the keys of names, for equality, search and sorting.
import { describe, expect, test } from 'vitest';
import { identityKey, searchFold, sortKey, sortName } from '../../../server/library/tracks/sort-and-identity-keys.ts';

describe('identity', () => {
  test.each([
    ['case', ['The Quays', 'THE QUAYS', 'the quays']],
    ['full width', ['Full Width 12!', 'Ｆｕｌｌ　Ｗｉｄｔｈ　１２！']],
    ['half width kana', ['ガンダム', 'ｶﾞﾝﾀﾞﾑ']],
    ['composed and decomposed', ['Björk', 'Bjo\u0308rk', 'BJÖRK']],
    ['Hangul', ['한글', '한글'.normalize('NFD')]],
    ['Turkish i', ['İstanbul Işık', 'istanbul ışık', 'İSTANBUL IŞIK', 'ISTANBUL IŞIK']],
    ['sharp s', ['Straße', 'STRASSE', 'STRAẞE', 'strasse']],
    ['Greek sigma', ['Οδυσσέας', 'ΟΔΥΣΣΈΑΣ', 'οδυσσέασ']],
    ['Cyrillic', ['Кино', 'КИНО', 'кино']],
    ['ligatures', ['Fine', 'ﬁne']],
    [
      'blanks of every kind',
      ['A B', ' A  B ', 'A\tB', 'A\u00a0B', 'A\u3000B', 'A\u2003B\u2028', 'A\nB', 'A\u0000B', '\ufeffA B'],
    ],
    ['invisible characters', ['AB', 'A\u200bB', 'A\u00adB', 'A\u2060B', '\u200eAB\u200f']],
    ['a heart as text and as picture', ['I ❤ You', 'I ❤\ufe0f You']],
    [
      'typographic signs',
      ['Guns N\' Roses - "Live"', 'Guns N’ Roses – “Live”', 'Guns N‘ Roses ‐ ”Live”', 'GUNS N＇ ROSES － ＂LIVE＂'],
    ],
    ['dots', ['...And', '…and']],
  ])('%s does not matter', (_, names) => {
    expect(new Set(names.map(identityKey)).size).toBe(1);
    expect(new Set(names.map(sortKey)).size).toBe(1);
  });

  test.each([
    ['accents', 'Bjork', 'Björk'],
    ['voicing of kana', 'ハハ', 'パパ'],
    ['kana scripts', 'ひかり', 'ヒカリ'],
    ['vowel signs', 'लता', 'लती'],
    ['signs', 'AC/DC', 'ACDC'],
    ['blanks within', 'Blackstar', 'Black Star'],
    ['an ampersand', 'Simon & Garfunkel', 'Simon and Garfunkel'],
    ['an article', 'The Quays', 'Quays'],
    ['emoji', '🎸', '🎹'],
    ['skin tones', '👍', '👍🏽'],
  ])('%s do matter', (_, name, otherName) => {
    expect(identityKey(name)).not.toBe(identityKey(otherName));
  });

  test.each(['', ' ', '\u3000\t', '\u200b', '\u3164', '\u00ad\ufe0f', '\u0000\u0007'])('%j is not a name', (text) => {
    expect([identityKey(text), sortKey(text)]).toEqual(['', '']);
  });
});

describe('finding', () => {
  test.each([
    ['BJÖRK', 'bjork'],
    ['Sigur Rós', 'sigur ros'],
    ['ÆØÅ æøå', 'aeoa aeoa'],
    ['Łódź', 'lodz'],
    ['Đorđe Þór Ħal', 'dorde thor hal'],
    ['Œuvre', 'oeuvre'],
    ['Straße', 'strasse'],
    ['İÇİMDE ışık', 'icimde isik'],
    ['Ἀθῆναι ΟΔΟΣ οδός', 'αθηναι οδοσ οδοσ'],
    ['Ёлка й', 'елка и'],
    ['שָׁלוֹם', 'שלום'],
    ['مُحَمَّد', 'محمد'],
    ['ｶﾞﾝﾀﾞﾑ', 'ガンダム'],
    ['한글', '한글'],
    ['लता मंगेशकर', 'लता मंगेशकर'],
    ['น้ำ', 'น้ํา'],
    ['ｆｕｌｌ', 'full'],
    ['１️⃣ Love', '1 love'],
    ['👨‍👩‍👧', '👨👩👧'],
    ['Don’t', "don't"],
    ['x\u0301\u0308\u0323\u0336y', 'xy'],
    ['a  b', 'a  b'],
    ['\u0301', ''],
  ])('%j is found as %j', (text, expected) => {
    expect(searchFold(text)).toBe(expected);
  });
});

describe('order', () => {
  test('accents, case and width do not matter', () => {
    const names = ['Zebra', 'ärzte', 'Ａbba', 'éclair', 'Echo', 'ＺＺ Top', 'Ørsted', 'Otto'];
    expect(names.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))).toEqual([
      'Ａbba',
      'ärzte',
      'Echo',
      'éclair',
      'Ørsted',
      'Otto',
      'Zebra',
      'ＺＺ Top',
    ]);
  });

  test.each(['!!!', '...', '∆', '+/-', '( )', '\u0301', '🏳️‍🌈', '́̈', '¨', '\ufffd', 'ー', '٪'])(
    'the name %j, of signs only, has keys',
    (name) => {
      expect(identityKey(name)).not.toBe('');
      expect(sortKey(name)).not.toBe('');
    },
  );

  test.each([
    ['The Quays', 'Quays, The'],
    ['THE QUAYS', 'QUAYS, THE'],
    ['the  The', 'The, the'],
    [' The Quays ', 'Quays, The'],
    ['The\u00a0Quays', 'Quays, The'],
    ['The', 'The'],
    ['Theatre', 'Theatre'],
    ['A Tribe', 'A Tribe'],
    ['Die Ärzte', 'Die Ärzte'],
    ['', ''],
  ])('%j is sorted as %j', (name, expected) => {
    expect(sortName(name)).toBe(expected);
  });
});

test('every character has a key that case and form do not change, and that folds to itself', () => {
  const faultyCharacters: string[] = [];
  for (let code = 1; code < 0x1ffff; code++) {
    const text = String.fromCodePoint(code);
    if (
      !/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(text) ||
      /[\p{Script=Han}\p{Script=Hangul}\p{Default_Ignorable_Code_Point}]/u.test(text)
    )
      continue;
    const key = identityKey(text);
    const variants = [key, text.toUpperCase(), text.toLowerCase(), text.normalize('NFD')];
    if (key === '' || sortKey(text) === '' || variants.some((variant) => identityKey(variant) !== key))
      faultyCharacters.push(code.toString(16));
  }
  expect(faultyCharacters).toEqual([]);
});
