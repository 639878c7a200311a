// Search as you type: arrows move, Enter plays a track and opens an album or artist, Shift+Enter queues. Results of
// online sources follow below: Enter and Shift+Enter save them first, and playing downloads them; Alt+Enter saves, then
// downloads.
import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import '../../i18n/page-texts.ts';
import { IconClose, IconSearch } from '../../ui/theme/icons.ts';
import type { SearchHit } from '../../api/routes.ts';
import { detailOf } from '../../api/problem.ts';
import { openItemMenuAt, useOpenItemMenu } from '../../music/item-marks.ts';
import { useRemoteCommands } from '../../music/use-remote-hit.ts';
import { usePlay, usePlayerCommands } from '../../player/use-player.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { takeTypedAhead } from '../../ui/controls/early-keys.ts';
import { HitRow } from './hit-row.tsx';
import { itemsOf, pathOf, playOptionsOf, type Hit, type HitGroup } from './hits.ts';
import { rememberSearch, useRecentSearches } from './recent.ts';
import { PALETTE, useSearch } from './use-search.ts';
import hitStyles from './hits.module.css';
import styles from './palette.module.css';
import { dialogAttributes } from '../../ui/theme/theme.ts';

export function SearchPalette({
  opened,
  initialText,
  onClose,
}: {
  opened: boolean;
  initialText: string;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const narrow = useMediaQuery('(max-width: 767px)', innerWidth < 768, { getInitialValueInEffect: false });
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size={620}
      yOffset="12vh"
      centered={false}
      fullScreen={narrow}
      attributes={{ ...dialogAttributes, content: { 'aria-label': t('search.label') } }}
      styles={{ body: { height: '100%' } }}
    >
      <Palette key={initialText} initialText={initialText} onClose={onClose} />
    </Modal>
  );
}

function Palette({ initialText, onClose }: { initialText: string; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const player = usePlayerCommands();
  const { queueAlbum, queueArtist } = usePlay();
  const listId = useId();
  const [text, setText] = useState(initialText);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    input.current?.focus();
    const typedAhead = takeTypedAhead();
    if (typedAhead !== '') setText((now) => now + typedAhead);
    return () => void takeTypedAhead();
  }, []);
  const [active, setActive] = useState(0);
  const results = useSearch(text, PALETTE);
  const { q, error, isAsking, isNothing } = results;
  const recent = useRecentSearches();
  const groups: HitGroup[] =
    q !== '' || recent.length === 0
      ? results.groups
      : [
          {
            kind: 'recent',
            total: null,
            hits: recent.map((recentText, i) => ({ kind: 'recent', id: `recent-${i}`, text: recentText })),
          },
        ];
  const remote = useRemoteCommands();
  const hits = groups.flatMap((group) => group.hits);
  const domId = (hit: Hit) => `${listId}-${hit.id}`;
  const activeHit = hits[Math.min(active, hits.length - 1)];

  // an item menu replaces the palette
  const hasMenu = useOpenItemMenu() !== null;
  useEffect(() => {
    if (!hasMenu) return;
    rememberSearch(text);
    onClose();
  }, [hasMenu]);

  useEffect(() => setActive(0), [q]);
  useEffect(() => {
    if (activeHit) document.getElementById(domId(activeHit))?.scrollIntoView({ block: 'nearest' });
  });

  const open = (hit: Hit, queue: boolean) => {
    if (hit.kind === 'lyrics' && !queue) player.playTracks([hit.track], playOptionsOf(hit));
    else if (hit.kind === 'track' || hit.kind === 'lyrics')
      (queue ? player.addLast : player.playTracks).call(player, [hit.track]);
    else if (hit.kind === 'remote')
      void remote
        .trackOf(hit.remote)
        .then((track) => (queue ? player.addLast : player.playTracks).call(player, [track]))
        .then(
          () => {
            if (!queue) onClose();
          },
          () => {},
        );
    else if (hit.kind === 'album' && queue) void queueAlbum(hit.album.id);
    else if (hit.kind === 'artist' && queue) void queueArtist(hit.artist.id);
    else if (hit.kind === 'recent') return setText(hit.text);
    else if (hit.kind === 'command' || hit.kind === 'setting') {
      onClose(); // the command may open another dialog
      return hit.command.run();
    } else void navigate({ to: pathOf(hit) });
    if (!queue && hit.kind !== 'remote') onClose();
    rememberSearch(text);
    return undefined;
  };
  const showAll = () => {
    rememberSearch(text);
    void navigate({ to: '/search', search: { q: text.trim() } });
    onClose();
  };
  /** The next step: save, then download. */
  const getHit = (hit: SearchHit) =>
    void (hit.track_id === null ? remote.trackOf(hit) : remote.fetch(hit)).catch(() => {});

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0));
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      const items = activeHit && itemsOf(activeHit);
      const row = activeHit && document.getElementById(domId(activeHit))?.getBoundingClientRect();
      if (!items || !row) return;
      openItemMenuAt(items, row.left, row.bottom);
    } else if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    else if (event.ctrlKey || event.metaKey) showAll();
    else if (!activeHit) return;
    else if (!event.altKey) open(activeHit, event.shiftKey);
    else if (activeHit.kind === 'remote') getHit(activeHit.remote);
    event.preventDefault();
  };

  return (
    <div className={styles.palette}>
      <div className={styles.field}>
        <IconSearch size={20} aria-hidden />
        <input
          ref={input}
          type="search"
          className={hitStyles.input}
          role="combobox"
          aria-expanded={hits.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-label={t('search.label')}
          data-autofocus
          aria-activedescendant={activeHit ? domId(activeHit) : undefined}
          placeholder={t('search.placeholder')}
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <IconButton label={t('search.close')} icon={IconClose} iconSize={18} onClick={onClose} />
      </div>
      <div id={listId} role="listbox" aria-label={t('search.results')} className={styles.results}>
        {groups.map((group) => (
          <div key={group.kind} role="group" aria-labelledby={`${listId}-${group.kind}`}>
            <div id={`${listId}-${group.kind}`} className={styles.group}>
              {t(`search.group.${group.kind}`)} {group.total !== null && <span>{formatNumber(group.total)}</span>}
            </div>
            {group.hits.map((hit) => (
              <HitRow
                key={hit.id}
                hit={hit}
                domId={domId(hit)}
                active={hit === activeHit}
                onPoint={() => setActive(hits.indexOf(hit))}
                onOpen={(event) => open(hit, event.shiftKey)}
                onGet={getHit}
              />
            ))}
          </div>
        ))}
      </div>
      <p className={styles.note} aria-live="polite">
        {q === '' && groups.length === 0 && t('search.hint')}
        {q !== '' && error && detailOf(error)}
        {isNothing && t('search.nothing', { q })}
      </p>
      {isAsking && (
        <p className={styles.asking} role="status">
          {t('search.asking')}
        </p>
      )}
      {remote.error && (
        <p className={styles.fault} role="alert">
          {detailOf(remote.error)}
        </p>
      )}
      <div role="status" className="visually-hidden">
        {hits.length > 0 && t('search.found', { count: hits.length })}
      </div>
      {hits.length > 0 && (
        <div className={styles.keys}>
          <span aria-hidden>{t(activeHit?.kind === 'remote' ? 'search.remoteKeys' : 'search.keys')}</span>
          {q !== '' && <Button onClick={showAll}>{t('search.showAll')}</Button>}
        </div>
      )}
    </div>
  );
}
