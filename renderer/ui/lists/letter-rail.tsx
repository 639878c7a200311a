// The letters beside a long list that is sorted by name: a click or a drag along them jumps to names. Typing in the
// list does the same with the keyboard, so the letters are not tab stops.
import { useRef, type PointerEvent } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './letter-rail.module.css';

/** “#” leads to names that begin with no letter, which come first; “…” to names in other scripts, which follow Z. */
const LETTERS = ['#', ...'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '…'] as const;
const FIRST_KEY = '0';
const KEY_AFTER_Z = 'zzzzzz';

interface LetterRailProps {
  descending: boolean;
  /** Jumps to the first name that is not before the text. */
  onJump: (text: string) => void;
}

export function LetterRail({ descending, onJump }: LetterRailProps) {
  const { t } = useTranslation();
  const lastLetter = useRef<string | undefined>(undefined);
  const letters = descending ? LETTERS.toReversed() : LETTERS;
  const jump = (letter: string) => onJump(letter === '#' ? FIRST_KEY : letter === '…' ? KEY_AFTER_Z : letter);
  const follow = ({ buttons, clientX, clientY }: PointerEvent) => {
    if (buttons === 0) return;
    const letter = document.elementFromPoint(clientX, clientY)?.getAttribute('data-letter') ?? undefined;
    if (letter === undefined || letter === lastLetter.current) return;
    lastLetter.current = letter;
    jump(letter);
  };
  return (
    <div className={styles.place}>
      <div
        role="group"
        aria-label={t('list.letters')}
        className={styles.rail}
        onPointerDown={(event) => {
          // without this, touch events stay with the first touched element
          if (event.target instanceof Element) event.target.releasePointerCapture(event.pointerId);
          lastLetter.current = undefined;
          follow(event);
        }}
        onPointerMove={follow}
      >
        {letters.map((letter) => (
          <button
            key={letter}
            type="button"
            tabIndex={-1}
            data-letter={letter}
            aria-label={t('list.letter', { letter })}
            // clicks of assistive technology; the pointer has already jumped
            onClick={({ detail }) => detail === 0 && jump(letter)}
          >
            {letter}
          </button>
        ))}
      </div>
    </div>
  );
}
