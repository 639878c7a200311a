// Questions during an action: the name of a new playlist, how to handle duplicates, and how to share. One question at
// a time is open; name-and-duplicate-dialogs.tsx displays it.
import { useSyncExternalStore } from 'react';
import type { Items } from './items.ts';

type DuplicateAnswer = 'all' | 'new' | null;
export type Prompt =
  | { kind: 'name'; title: string; value: string; submit: string; answer: (name: string | null) => void }
  | {
      kind: 'duplicates';
      playlist: string;
      duplicateCount: number;
      trackCount: number;
      answer: (choice: DuplicateAnswer) => void;
    }
  | { kind: 'share'; items: Items; answer: (choice: null) => void };

const listeners = new Set<() => void>();
let current: Prompt | null = null;

function setQuestion(question: Prompt | null): void {
  current = question;
  for (const listener of listeners) listener();
}

function openPrompt<T>(createPrompt: (answer: (value: T | null) => void) => Prompt): Promise<T | null> {
  return new Promise((resolve) => {
    const question = createPrompt((value) => {
      if (current === question) setQuestion(null);
      resolve(value);
    });
    setQuestion(question);
  });
}

export const askName = (words: { title: string; submit: string; value?: string }): Promise<string | null> =>
  openPrompt<string>((answer) => ({ kind: 'name', value: '', ...words, answer }));
export const askAboutDuplicates = (facts: {
  playlist: string;
  duplicateCount: number;
  trackCount: number;
}): Promise<DuplicateAnswer> => openPrompt<'all' | 'new'>((answer) => ({ kind: 'duplicates', ...facts, answer }));

export const askHowToShare = (items: Items): Promise<null> =>
  openPrompt<never>((answer) => ({ kind: 'share', items, answer }));

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const usePrompt = (): Prompt | null => useSyncExternalStore(subscribe, () => current);
