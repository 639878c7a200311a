// Asks the owner once whether an online service may be used; the question is open while the setting is at its default.
import { useQuery } from '@tanstack/react-query';
import { detailOf } from '../api/problem.ts';
import { findSetting, settingsQuery, useChangeSettings } from '../api/settings.ts';
import { Button } from '../ui/controls/button.tsx';
import styles from './service-question.module.css';

interface ServiceQuestionProps {
  /** The key of a boolean setting. */
  setting: string;
  question: string;
  /** Says which data is sent to which service. */
  help: string;
  yes: string;
  no: string;
  onAnswer: () => void;
}

export function ServiceQuestion({ setting, question, help, yes, no, onAnswer }: ServiceQuestionProps) {
  const { data } = useQuery(settingsQuery());
  const change = useChangeSettings();
  if (findSetting(data, setting)?.origin !== 'default') return null;
  const answer = (isAllowed: boolean) => change.mutate({ [setting]: isAllowed }, { onSuccess: onAnswer });
  return (
    <section className={styles.question} aria-label={question}>
      <p>
        <strong>{question}</strong>
      </p>
      <p>{help}</p>
      {change.error && <p role="alert">{detailOf(change.error)}</p>}
      <div>
        <Button variant="primary" disabled={change.isPending} onClick={() => answer(true)}>
          {yes}
        </Button>
        <Button disabled={change.isPending} onClick={() => answer(false)}>
          {no}
        </Button>
      </div>
    </section>
  );
}
