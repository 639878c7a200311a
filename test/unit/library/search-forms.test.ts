// Tables of the forms by which names are found. Names are written as searchFold gives them.
import { expect, test } from 'vitest';
import { formsOf, signsOf, vocabularyOf } from '../../../server/library/search-index/search-forms.ts';
import { searchTextOf } from '../../../server/library/search-index/search-names.ts';

test.each([
  ['dark side', ['dark side']],
  [' a  b ', ['a b']],
  ["don't stop believin'", ['dont stop believin']],
  ["l'italiano", ['litaliano', 'l italiano']],
  ["sinead o'connor", ['sinead oconnor', 'sinead o connor']],
  ["d'yer mak'er", ['dyer maker', 'd yer maker']],
  ['ac/dc', ['acdc', 'ac dc']],
  ['blink-182', ['blink182', 'blink 182']],
  ['r.e.m.', ['rem', 'r e m']],
  ['ke$ha', ['kesha']],
  ['a$ap', ['asap']],
  ['bada$$', ['badass']],
  ['us $', ['us']],
  ['$100', ['100']],
  ['p!nk', ['pink']],
  ['panic! at the disco', ['panic at the disco']],
  ['"weird al" yankovic', ['weird al yankovic']],
  ['*nsync', ['nsync']],
  ['simon & garfunkel', ['simon and garfunkel']],
  ['florence + the machine', ['florence and the machine']],
  ["guns n' roses", ['guns and roses']],
  ["rock 'n' roll", ['rock and roll']],
  ["rock'n'roll", ['rocknroll', 'rock and roll']],
  ['salt-n-pepa', ['saltnpepa', 'salt and pepa']],
  ['r&b', ['rb', 'r and b']],
  ['what (live) [2009]', ['what live 2009']],
  ['24/7', ['247', '24 7']],
  ['a - b', ['a b']],
  ['ブルー・ハーツ', ['ブルーハーツ', 'ブルー ハーツ']],
  ['!!!', ['!!!']],
  ['+/-', ['+/-']],
  ['÷', ['÷']],
  ['( )', ['( )']],
  ['🎵🎵', ['🎵🎵']],
  ['', ['']],
])('%j is found as %j', (name, forms) => {
  expect(formsOf(name)).toEqual(forms);
});

test.each([
  ['100% pure', ['%']],
  ['ke$ha & friends?', ['$', '&', '?']],
  ["don't (stop) - r.e.m./a", []],
])('%j is found by the signs %j', (name, signs) => {
  expect(signsOf(name)).toEqual(signs);
});

test('the search text has no form twice, and no sort name whose words are there', () => {
  expect(searchTextOf('The Quays\nQuays, The\nQuays')).toBe('the quays');
  expect(searchTextOf('AC/DC\nBack in Black\nAC/DC')).toBe('acdc\nac dc\nback in black');
  expect(searchTextOf('宇多田ヒカル\nUtada, Hikaru')).toBe('宇多田ヒカル\nutada hikaru');
});

test('words of letters may be mistyped, signs and ideographs may not', () => {
  expect(vocabularyOf('believe me\nкино 夜に駆ける !!! 1999')).toEqual(['believe', 'кино', '1999']);
});
