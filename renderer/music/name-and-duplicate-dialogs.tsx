import { Modal, TextInput } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../ui/controls/button.tsx';
import { formText } from '../ui/controls/form-text.ts';
import { formatNumber } from '../ui/format.ts';
import { usePrompt, type Prompt } from './prompts.ts';
import styles from './prompts.module.css';

const ShareDialog = lazy(async () => ({ default: (await import('./share-dialog.tsx')).ShareDialog }));

const MAX_NAME_LENGTH = 200;

export function PromptDialogs() {
  const question = usePrompt();
  const { t } = useTranslation();
  if (question?.kind === 'share')
    return (
      <Suspense>
        <ShareDialog items={question.items} onClose={() => question.answer(null)} />
      </Suspense>
    );
  const title =
    question?.kind === 'name'
      ? question.title
      : question
        ? t('playlist.duplicatesTitle', { name: question.playlist })
        : '';
  return (
    <Modal
      opened={question !== null}
      onClose={() => question?.answer(null)}
      title={title}
      closeButtonProps={{ 'aria-label': t('playlist.cancel') }}
    >
      {question?.kind === 'name' && <NameForm question={question} />}
      {question?.kind === 'duplicates' && <Duplicates question={question} />}
    </Modal>
  );
}

function NameForm({ question }: { question: Prompt & { kind: 'name' } }) {
  const { t } = useTranslation();
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        const name = formText(event.currentTarget, 'name').trim();
        if (name !== '') question.answer(name);
      }}
    >
      <TextInput
        name="name"
        label={t('playlist.name')}
        defaultValue={question.value}
        maxLength={MAX_NAME_LENGTH}
        required
        withAsterisk={false}
        data-autofocus
        onFocus={(event) => event.currentTarget.select()}
      />
      <div className={styles.actions}>
        <Button onClick={() => question.answer(null)}>{t('playlist.cancel')}</Button>
        <Button type="submit" variant="primary">
          {question.submit}
        </Button>
      </div>
    </form>
  );
}

function Duplicates({ question }: { question: Prompt & { kind: 'duplicates' } }) {
  const { t } = useTranslation();
  const { duplicateCount, trackCount } = question;
  return (
    <div className={styles.form}>
      <p>
        {duplicateCount === trackCount
          ? t('playlist.duplicatesAll', { count: trackCount, number: formatNumber(trackCount) })
          : t('playlist.duplicatesSome', {
              count: duplicateCount,
              number: formatNumber(duplicateCount),
              of: formatNumber(trackCount),
            })}
      </p>
      <div className={styles.actions}>
        <Button onClick={() => question.answer('all')}>{t('playlist.addAnyway')}</Button>
        <Button variant="primary" data-autofocus onClick={() => question.answer('new')}>
          {t(duplicateCount === trackCount ? 'playlist.skipAll' : 'playlist.skip')}
        </Button>
      </div>
    </div>
  );
}
