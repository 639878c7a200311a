// Editor for the lyrics of a track, with a search in the lyrics service: text, line times by tapping along, an offset.
import { Modal, NumberInput, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { lrcTime } from '../../../server/media/lrc-format.ts';
import type { LyricsOut } from '../../api/routes.ts';
import { lyricsCandidatesQuery, useRemoveLyrics, useSetLyrics } from '../../api/lyrics.ts';
import { detailOf } from '../../api/problem.ts';
import type { QueueTrack } from '../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formText } from '../../ui/controls/form-text.ts';
import { formatClock } from '../../ui/format.ts';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { linesOf, shifted, toText, withTime } from './lyrics-text.ts';
import '../../i18n/page-texts.ts';
import styles from './lyrics.module.css';

type View = 'search' | 'text' | 'times';

interface DialogProps {
  track: QueueTrack;
  lyrics: LyricsOut | undefined;
  onClose: () => void;
}

/** Unsaved texts by track: resizing the window can move the lyrics, which closes the dialog. */
const drafts = new Map<number, string>();

export function LyricsDialog({ track, lyrics, onClose: close }: DialogProps) {
  const { t } = useTranslation();
  const [view, setView] = useState<View>(lyrics || drafts.has(track.id) ? 'text' : 'search');
  const [initialText] = useState(() => (lyrics ? toText(lyrics) : ''));
  const [text, setOwnText] = useState(drafts.get(track.id) ?? initialText);
  const setText = (next: string) => {
    drafts.set(track.id, next);
    setOwnText(next);
  };
  const onClose = () => {
    drafts.delete(track.id);
    close();
  };
  const isChanged = text !== initialText;
  const save = useSetLyrics(track.id);
  const remove = useRemoveLyrics(track.id);
  const fault = save.error ?? remove.error;
  return (
    <Modal
      opened
      onClose={onClose}
      // an accidental click or Escape must not discard typed text
      closeOnClickOutside={!isChanged}
      closeOnEscape={!isChanged}
      size="lg"
      title={t('lyrics.title', { title: track.title })}
      closeButtonProps={{ 'aria-label': t('lyrics.close') }}
    >
      <div className={styles.dialog}>
        <Segmented
          label={t('lyrics.views')}
          value={view}
          options={(['search', 'text', 'times'] as const).map((value) => ({ value, label: t(`lyrics.${value}`) }))}
          onChange={setView}
        />
        {view === 'search' && (
          <Search
            track={track}
            isBusy={save.isPending}
            onPick={(id) => save.mutate({ lrclib_id: id }, { onSuccess: onClose })}
          />
        )}
        {view === 'text' && (
          <Textarea
            aria-label={t('lyrics.text')}
            description={t('lyrics.textHelp')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autosize
            minRows={12}
            maxRows={20}
          />
        )}
        {view === 'times' && <Times track={track} text={text} onChange={setText} />}
        {fault && (
          <p role="alert" className={styles.fault}>
            {detailOf(fault)}
          </p>
        )}
        <div className={styles.tools}>
          {view !== 'search' && (
            <Button
              variant="primary"
              disabled={save.isPending || text.trim() === ''}
              onClick={() => save.mutate({ text }, { onSuccess: onClose })}
            >
              {t('lyrics.save')}
            </Button>
          )}
          {lyrics && (
            <Button disabled={remove.isPending} onClick={() => remove.mutate(undefined, { onSuccess: onClose })}>
              {t(lyrics.source === 'manual' ? 'lyrics.discard' : 'lyrics.hide')}
            </Button>
          )}
          <Button variant="plain" onClick={onClose}>
            {t('lyrics.cancel')}
          </Button>
        </div>
      </div>
    </Modal>
  );
}

interface SearchProps {
  track: QueueTrack;
  isBusy: boolean;
  onPick: (id: number) => void;
}

function Search({ track, isBusy, onPick }: SearchProps) {
  const { t } = useTranslation();
  const [q, setQ] = useState('');
  const { data, error, isPending } = useQuery(lyricsCandidatesQuery(track.id, q));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setQ(formText(event.currentTarget, 'q').trim());
  };
  return (
    <>
      <form className={styles.search} onSubmit={submit}>
        <TextInput
          name="q"
          aria-label={t('lyrics.query')}
          defaultValue={`${track.artist_name ?? ''} ${track.title}`.trim()}
        />
        <Button type="submit">{t('lyrics.find')}</Button>
      </form>
      {error && (
        <p role="alert" className={styles.fault}>
          {detailOf(error)}
        </p>
      )}
      {isPending && <p role="status">{t('lyrics.searching')}</p>}
      {data?.length === 0 && <p>{t('lyrics.nothing')}</p>}
      <ul className={styles.found}>
        {data?.map((candidate) => (
          <li key={candidate.id}>
            <div>
              <p>
                <strong>{candidate.title}</strong> · {candidate.artist_name}
              </p>
              <p className={styles.facts}>
                {[
                  candidate.album_title,
                  candidate.duration_ms === null ? null : formatClock(candidate.duration_ms),
                  t(
                    candidate.is_instrumental
                      ? 'lyrics.instrumental'
                      : candidate.synced
                        ? 'lyrics.synced'
                        : 'lyrics.plain',
                  ),
                  candidate.fits ? t('lyrics.fits') : null,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
              <p className={styles.excerpt}>{candidate.excerpt}</p>
            </div>
            <Button
              variant={candidate.fits ? 'primary' : 'quiet'}
              aria-label={t('lyrics.useThis', { title: candidate.title, artist: candidate.artist_name })}
              disabled={isBusy}
              onClick={() => onPick(candidate.id)}
            >
              {t('lyrics.use')}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

interface TimesProps {
  track: QueueTrack;
  text: string;
  onChange: (text: string) => void;
}

/** Sets the times of the lines one after the other by taps while the track plays. */
function Times({ track, text, onChange }: TimesProps) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const [next, setNext] = useState(0);
  const [offset, setOffset] = useState<number | string>(0);
  const isPlaying = usePlayer((state) => state.status === 'playing');
  const isThis = usePlayer((state) => state.queue[state.index]?.track.id === track.id);
  const lines = linesOf(text);
  const hasText = (index: number): boolean => (lines[index]?.text.trim() ?? '') !== '';
  const nextLine = (index: number): number => {
    let nextIndex = index + 1;
    while (nextIndex < lines.length && !hasText(nextIndex)) nextIndex++;
    return nextIndex;
  };
  const tap = () => {
    onChange(withTime(text, next, player.getState().positionMs));
    setNext(nextLine(next));
  };
  if (text.trim() === '') return <p>{t('lyrics.noText')}</p>;
  return (
    <>
      <p className={styles.facts}>{t('lyrics.tapHelp')}</p>
      <div className={styles.tools}>
        <Button variant="primary" autoFocus disabled={!isThis || next >= lines.length} onClick={tap}>
          {t('lyrics.tap')}
        </Button>
        <Button disabled={!isThis} onClick={() => player.toggle()}>
          {t(isPlaying ? 'lyrics.pause' : 'lyrics.play')}
        </Button>
        <Button
          disabled={!isThis}
          onClick={() => {
            const previousTimedIndex = lines.findLastIndex((line, index) => index < next && line.startMs !== undefined);
            setNext(Math.max(0, previousTimedIndex));
            player.seek(Math.max(0, (lines[previousTimedIndex - 1]?.startMs ?? 0) - 1_000));
          }}
        >
          {t('lyrics.back')}
        </Button>
        <NumberInput
          className={styles.offset}
          aria-label={t('lyrics.offset')}
          suffix=" ms"
          step={100}
          value={offset}
          onChange={setOffset}
        />
        <Button onClick={() => onChange(shifted(text, Number(offset) || 0))}>{t('lyrics.shift')}</Button>
      </div>
      <ol className={styles.timed}>
        {lines.map((line, index) => (
          <li key={index} aria-current={index === next || undefined}>
            <button type="button" onClick={() => setNext(index)}>
              <span className={styles.time}>{line.startMs === undefined ? '–' : lrcTime(line.startMs)}</span>
              <span>{line.text || '♪'}</span>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}
