// Dialogs of an artist: the large picture with possible replacements, and the choice of the MusicBrainz artist.
import { Modal, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import {
  ARTIST_PICTURES,
  artistAboutQuery,
  artistPicturesQuery,
  chooseArtistPicture,
  identityCandidatesQuery,
  removeArtistPicture,
  setArtistPicture,
  setIdentity,
  undoArtistPicture,
} from '../../../api/about.ts';
import type { ArtistAbout, ArtistOut } from '../../../api/routes.ts';
import { LIBRARY } from '../../../api/library.ts';
import { detailOf } from '../../../api/problem.ts';
import { artistCandidateUrl, coverUrl } from '../../../api/urls.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Cover } from '../../../ui/cover.tsx';
import { IconAgain, IconDelete } from '../../../ui/theme/icons.ts';
import { useUndoNotice } from '../../../ui/controls/undo-notice.tsx';
import { FoundPictures, PictureChooser } from '../picture-chooser.tsx';
import '../../../i18n/page-texts.ts';
import styles from '../albums/album-cover.module.css';

/** Returns a function that runs a change and offers to undo it. */
function useChange() {
  const queries = useQueryClient();
  const { tell, done } = useUndoNotice();
  const [isBusy, setBusy] = useState(false);
  const runChange = async (work: () => Promise<void>, message?: string, undo?: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
      if (message !== undefined && undo) done(message, () => void runChange(undo));
    } catch (error) {
      tell(detailOf(error));
    } finally {
      setBusy(false);
      // another found picture is now marked as the current one
      void queries.invalidateQueries({ queryKey: ARTIST_PICTURES });
      await queries.invalidateQueries({ queryKey: [LIBRARY] });
    }
  };
  return { isBusy, change: (...args: Parameters<typeof runChange>) => void runChange(...args) };
}

export function PictureDialog({ artist, onClose }: { artist: ArtistOut; onClose: () => void }) {
  const { t, i18n } = useTranslation();
  const { isBusy, change } = useChange();
  const { id, name } = artist;
  const { data: about } = useQuery(artistAboutQuery(id, i18n.language.split('-', 1)[0] ?? 'en'));
  const { data: foundPictures, error } = useQuery({
    ...artistPicturesQuery(id),
    enabled: about !== undefined && about.state !== 'off',
  });
  const undo = () => undoArtistPicture(id);
  const uploadPicture = (file: File | undefined) =>
    file && change(() => setArtistPicture(id, file), t('picture.changed', { name }), undo);
  const picture = about?.picture;
  const choose = (file: string | null) =>
    change(() => chooseArtistPicture(id, file), t('picture.changed', { name }), undo);
  return (
    <PictureChooser
      title={name}
      help={t('picture.help')}
      picture={
        <Cover
          src={artist.has_cover ? coverUrl('artists', id, 1200) : null}
          alt={t('picture.label', { name })}
          name={name}
          eager
        />
      }
      isChoosing
      isBusy={isBusy}
      onFile={uploadPicture}
      onClose={onClose}
      actions={
        <>
          <Button
            icon={IconDelete}
            disabled={isBusy || !picture || picture.is_none}
            onClick={() => change(() => removeArtistPicture(id), t('picture.removed', { name }), undo)}
          >
            {t('picture.remove')}
          </Button>
          {picture?.origin === 'manual' && (
            <Button icon={IconAgain} disabled={isBusy} onClick={() => choose(null)}>
              {t('picture.automatic')}
            </Button>
          )}
        </>
      }
    >
      {about && about.state !== 'off' && (
        <FoundPictures
          title={t('picture.found')}
          emptyText={t('picture.none')}
          error={error}
          isBusy={isBusy}
          choose={choose}
          pictures={foundPictures?.map(({ file, author, licence, is_current }) => ({
            id: file,
            src: artistCandidateUrl(id, file),
            label: t('picture.use', { name: file }),
            file,
            caption: author ?? file,
            detail: licence,
            isCurrent: is_current,
          }))}
        />
      )}
    </PictureChooser>
  );
}

export function IdentityDialog({
  artist: { id, name },
  about,
  onClose,
}: {
  artist: ArtistOut;
  about: ArtistAbout;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const { isBusy, change } = useChange();
  const [text, setText] = useState(name);
  const [searchText, setAsked] = useState(name);
  const { data, error } = useQuery(identityCandidatesQuery(id, searchText));
  const chosenId = about.identified_by === 'person' ? about.artist_mbid : undefined;
  const chooseIdentity = (mbid: string | null | undefined) => {
    change(
      () => setIdentity(id, mbid),
      t('identity.changed', { name }),
      () => setIdentity(id, chosenId),
    );
    onClose();
  };
  const search = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') setAsked(text.trim());
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('identity.title', { name })}
      closeButtonProps={{ 'aria-label': t('cover.close') }}
    >
      <form className={styles.fields} onSubmit={search}>
        <TextInput
          data-autofocus
          label={t('identity.find')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </form>
      <ul className={styles.list} aria-busy={!data && !error}>
        {error && <li role="status">{detailOf(error)}</li>}
        {data?.length === 0 && <li role="status">{t('identity.none')}</li>}
        {data?.map((candidate) => (
          <li key={candidate.artist_mbid}>
            <button
              type="button"
              className={styles.candidate}
              disabled={isBusy}
              aria-pressed={candidate.artist_mbid === about.artist_mbid}
              onClick={() => chooseIdentity(candidate.artist_mbid)}
            >
              <strong>{candidate.name}</strong>
              <span>
                {[
                  candidate.disambiguation,
                  candidate.country,
                  [candidate.begin, candidate.end]
                    .map((date) => date?.slice(0, 4))
                    .filter(Boolean)
                    .join('–'),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <div className={styles.actions}>
        <Button disabled={isBusy} onClick={() => chooseIdentity(null)}>
          {t('identity.nobody')}
        </Button>
        {about.identified_by === 'person' && (
          <Button disabled={isBusy} icon={IconAgain} onClick={() => chooseIdentity(undefined)}>
            {t('identity.automatic')}
          </Button>
        )}
      </div>
    </Modal>
  );
}
