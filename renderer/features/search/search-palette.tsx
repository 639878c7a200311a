// Find anything by typing: results as you type, arrows move, Enter plays a track and opens an album or artist, Shift+Enter queues.
import { Modal } from '@mantine/core';
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useId, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { detailOf } from '../../api/problem.ts';
import { librarySearchQuery } from '../../api/search.ts';
import { usePlay } from '../../player/use-play.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { IconButton } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { HitRow } from './hit-row.tsx';
import { toGroups, type Hit } from './hits.ts';
import styles from './palette.module.css';

const TYPING_PAUSE_MS = 60;

export function SearchPalette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const narrow = useMediaQuery('(max-width: 767px)', innerWidth < 768, { getInitialValueInEffect: false });
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} padding={0} size={620} yOffset="12vh" centered={false} fullScreen={narrow} attributes={{ content: { 'aria-label': t('search.label') } }} styles={{ body: { height: '100%' } }}>
      <Palette onClose={onClose} />
    </Modal>
  );
}

function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const player = usePlayerCommands();
  const { queueAlbum, queueArtist } = usePlay();
  const listId = useId();
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), TYPING_PAUSE_MS);
  const [active, setActive] = useState(0);
  const found = useQuery(librarySearchQuery(q));
  const groups = q === '' || !found.data ? [] : toGroups(found.data);
  const hits = groups.flatMap((group) => group.hits);
  const domId = (hit: Hit) => `${listId}-${hit.id}`;
  const activeHit = hits[Math.min(active, hits.length - 1)];

  useEffect(() => setActive(0), [q]);
  useEffect(() => {
    if (activeHit) document.getElementById(domId(activeHit))?.scrollIntoView({ block: 'nearest' });
  });

  const open = (hit: Hit, queue: boolean) => {
    if (hit.kind === 'track') (queue ? player.addLast : player.playTracks).call(player, [hit.track]);
    else if (hit.kind === 'album') void (queue ? queueAlbum(hit.album.id) : navigate({ to: '/albums/$albumId', params: { albumId: hit.album.id } }));
    else void (queue ? queueArtist(hit.artist.id) : navigate({ to: '/artists/$artistId', params: { artistId: hit.artist.id } }));
    if (!queue) onClose();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0));
    else if (event.key === 'Enter' && activeHit && !event.nativeEvent.isComposing) open(activeHit, event.shiftKey);
    else return;
    event.preventDefault();
  };

  return (
    <div className={styles.palette}>
      <div className={styles.field}>
        <IconSearch size={20} aria-hidden />
        <input type="search" role="combobox" aria-expanded={hits.length > 0} aria-controls={listId} aria-autocomplete="list" aria-label={t('search.label')} data-autofocus
          aria-activedescendant={activeHit ? domId(activeHit) : undefined} placeholder={t('search.placeholder')} value={text} autoComplete="off" spellCheck={false}
          onChange={(event) => setText(event.currentTarget.value)} onKeyDown={onKeyDown} />
        <IconButton label={t('search.close')} icon={IconX} iconSize={18} onClick={onClose} />
      </div>
      <div id={listId} role="listbox" aria-label={t('search.results')} className={styles.results}>
        {groups.map((group) => (
          <div key={group.kind} role="group" aria-labelledby={`${listId}-${group.kind}`}>
            <div id={`${listId}-${group.kind}`} className={styles.group}>
              {t(`search.group.${group.kind}`)} <span>{formatNumber(group.total)}</span>
            </div>
            {group.hits.map((hit) => (
              <HitRow key={hit.id} hit={hit} domId={domId(hit)} active={hit === activeHit} onPoint={() => setActive(hits.indexOf(hit))} onOpen={(event) => open(hit, event.shiftKey)} />
            ))}
          </div>
        ))}
      </div>
      <p className={styles.note} aria-live="polite">
        {q === '' && t('search.hint')}
        {q !== '' && found.error && detailOf(found.error)}
        {q !== '' && found.data && !found.isPlaceholderData && hits.length === 0 && t('search.nothing', { q })}
      </p>
      <div role="status" className="visually-hidden">{hits.length > 0 && t('search.found', { count: hits.length })}</div>
      {hits.length > 0 && <p className={styles.keys} aria-hidden>{t('search.keys')}</p>}
    </div>
  );
}
