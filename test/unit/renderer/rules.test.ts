import { expect, test } from 'vitest';
import type { SmartFields } from '../../../renderer/api/playlists.ts';
import { RulesIn } from '../../../server/playlists/rules.ts';
import {
  emptyForm,
  fromRules,
  isComplete,
  newCondition,
  optionOf,
  toRules,
  withField,
  withOption,
  type RuleForm,
} from '../../../renderer/features/playlists/rules.ts';

const ruleForm: RuleForm = {
  joiner: 'all',
  nodes: [
    { field: 'genre', op: 'contains', value: 'jazz' },
    {
      joiner: 'any',
      nodes: [
        { field: 'year', op: 'between', value: [1959, 1969] },
        { field: 'liked', op: 'is', value: true },
        { field: 'rating', op: 'is_set' },
        { field: 'tag', tag: 'OCCASION', op: 'contains', value: 'part' },
      ],
    },
  ],
  sort: { field: 'play_count', order: 'desc' },
  limit: 50,
  limitBy: 'minutes',
};

test('the editor’s rules are valid on the server, and come back the same', () => {
  const rules = toRules(ruleForm);
  expect(RulesIn.safeParse(rules).error).toBeUndefined();
  expect(fromRules(rules!)).toEqual({ ...ruleForm, seed: undefined });
});

test('rules are not sent while something is missing', () => {
  expect(toRules(emptyForm())).toBeUndefined();
  expect(isComplete({ field: 'year', op: 'between', value: [1959, ''] })).toBe(false);
  expect(isComplete({ field: 'title', op: 'is', value: '' })).toBe(false);
  expect(isComplete({ field: 'rating', op: 'is_not_set' })).toBe(true);
});

test('another field keeps the comparison if possible', () => {
  const fields = {
    fields: [
      { field: 'title', kind: 'text', operators: ['is', 'contains'] },
      { field: 'artist', kind: 'text', operators: ['is', 'contains'] },
      { field: 'liked', kind: 'boolean', operators: ['is'] },
    ],
    sorts: [],
  };
  expect(withField(newCondition('title', 'contains'), 'artist', fields)).toEqual({ field: 'artist', op: 'contains' });
  expect(withField(newCondition('title', 'contains'), 'liked', fields)).toEqual({
    field: 'liked',
    op: 'is',
    value: true,
  });
});

test('a tag in the menu of fields is a rule on that tag, and another field forgets it', () => {
  const textOperators = ['is', 'contains'];
  const fields = {
    fields: ['genre', 'tag'].map((field) => ({ field, kind: 'text', operators: textOperators })),
    sorts: [],
  } as unknown as SmartFields;
  const rule = withOption({ field: 'genre', op: 'contains', value: 'x' }, 'tag:OCCASION', fields);
  expect(rule).toEqual({ field: 'tag', tag: 'OCCASION', op: 'contains' });
  expect(optionOf(rule)).toBe('tag:OCCASION');
  expect(withOption(rule, 'genre', fields)).toEqual({ field: 'genre', op: 'contains' });
});
