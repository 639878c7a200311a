// Implementations of the actions of actions.ts.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { request } from '../api/client.ts';
import type { AlbumOut, TrackOut } from '../api/routes.ts';
import { LIBRARY } from '../api/library.ts';
import { isLiked, useLike, type Likeable, type LikeType } from '../api/likes.ts';
import { exportUrl, useUpdatePlaylist } from '../api/playlists.ts';
import { detailOf } from '../api/problem.ts';
import { useMaterialize } from '../api/remote.ts';
import { useSession } from '../api/session.ts';
import { useIdentify } from '../api/tracks.ts';
import { MAX_ZIPPED_TRACKS, savedUrl, zipUrl } from '../api/urls.ts';
import { playList, usePlayerCommands } from '../player/use-player.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';
import { useDetailsContext, type OpenDetails } from '../ui/use-details.ts';
import { actionOfKey, actionsFor, type Action, type ActionName, type Asker } from './actions.ts';
import { edit, type AlbumForm } from './editing.ts';
import { pageOf, type Items } from './items.ts';
import { askHowToShare } from './prompts.ts';
import { useDeleteTracks } from './use-delete-tracks.ts';
import { usePlaylistCommands } from './use-playlist-commands.ts';

const NO_RIGHTS = {
  can_edit: false,
  can_upload: false,
  can_download: false,
  can_share: false,
  can_jukebox: false,
  can_podcast: false,
};

/** Items that can be liked and rated. */
type Liked = Items & { kind: LikeType };
export const isLikeable = (items: Items): items is Liked =>
  items.kind === 'track' || items.kind === 'album' || items.kind === 'artist';

/** Makes the browser save a file. */
function save(href: string, name: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
}

const fileName = ({ artist_name, title, format }: Pick<TrackOut, 'artist_name' | 'title' | 'format'>): string =>
  `${[artist_name, title]
    .filter(Boolean)
    .join(' - ')
    .replaceAll(/[\\/:*?"<>|]/g, '_')}${format ? `.${format}` : ''}`;

const editAlbum = (kind: AlbumForm, items: Items): void => {
  if (items.kind === 'album' && items.only) edit({ kind, album: items.only });
};

/** The server edits at most this many tracks together. */
const MAX_TRACKS_IN_ALBUM_EDIT = 1_000;
const isEditedAsOne = ({ title, track_count }: AlbumOut, nameOfUnnamed: string): boolean =>
  title !== nameOfUnnamed && track_count <= MAX_TRACKS_IN_ALBUM_EDIT;

/** Pass `details` in components above which the window has no details provider yet. */
export function useActions(details?: OpenDetails) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const player = usePlayerCommands();
  const user = useSession()?.user;
  const { tell, done } = useUndoNotice();
  const contextDetails = useDetailsContext();
  const openDetails = details ?? contextDetails;
  const identify = useIdentify();
  const fetchAudio = useMaterialize();
  const remove = useDeleteTracks();
  const update = useUpdatePlaylist();
  const playlists = usePlaylistCommands();
  const like = useLike((error) => tell(detailOf(error)));
  const asker: Asker = {
    userId: user?.id ?? 0,
    isOwner: user?.is_superuser ?? false,
    rights: user ?? NO_RIGHTS,
    hasPages: openDetails !== null,
  };

  const isLikedNow = (items: Items): boolean =>
    isLikeable(items) && items.only !== undefined && isLiked(items.kind, items.only);
  const setLike = async (items: Liked, change: { liked?: boolean; rating?: number }) => {
    for (const item of (await items.each()) as readonly Likeable[])
      await like.mutateAsync({
        type: items.kind,
        item: { id: item.id, liked: isLiked(items.kind, item) },
        ...change,
      });
  };
  const start = async ({ source, load, name }: Items, shuffle: boolean) =>
    source
      ? playList(player, source, { shuffle })
      : player.playTracks(await load(), { shuffle, from: name === '' ? null : name });
  const steerRadio = ({ kind, only, place }: Items, command: 'more' | 'less' | 'never') => {
    if (kind === 'track' && only) return place?.steer?.[command](only);
  };
  const refreshLibrary = () => queries.invalidateQueries({ queryKey: [LIBRARY] });

  async function download(items: Items, format?: 'mp3'): Promise<void> {
    if (items.only && (items.kind === 'album' || items.kind === 'artist' || items.kind === 'playlist'))
      return save(await zipUrl({ [`${items.kind}_id`]: items.only.id, format }), `${items.name}.zip`);
    const tracks = await items.load();
    const [firstTrack, ...otherTracks] = tracks;
    if (!firstTrack) return;
    if (otherTracks.length === 0)
      return save(savedUrl(firstTrack.id, format), fileName({ ...firstTrack, format: format ?? firstTrack.format }));
    if (tracks.length > MAX_ZIPPED_TRACKS) return tell(t('action.tooManyToZip', { count: MAX_ZIPPED_TRACKS }));
    save(await zipUrl({ track_ids: tracks.map(({ id }) => id).join(','), format }), 'Music.zip');
  }

  const runs: Record<ActionName, (items: Items) => Promise<unknown> | void> = {
    play: (items) => start(items, false),
    shuffle: (items) => start(items, true),
    playNext: async (items) => player.addNext(await items.load()),
    playLater: async (items) => player.addLast(await items.load()),
    radio: async (items) => {
      const { radioOf, startRadio } = await import('./start-radio.ts');
      const start = await radioOf(items);
      if (!start || !(await startRadio(player, start))) tell(t('radio.nothing'));
    },
    path: ({ kind, only }) => {
      if (kind === 'track' && only) void navigate({ to: '/path', search: { from: only.id } });
    },
    moreLike: (items) => steerRadio(items, 'more'),
    lessLike: (items) => steerRadio(items, 'less'),
    never: (items) => steerRadio(items, 'never'),
    toTop: ({ place }) => place?.toTop?.(),
    toEnd: ({ place }) => place?.toEnd?.(),
    remove: ({ place }) => place?.remove?.(),
    addTo: () => {},
    like: async (items) => {
      if (isLikeable(items)) await setLike(items, { liked: !isLikedNow(items) });
    },
    rate: () => {},
    goTo: (items) => {
      const to = pageOf(items);
      if (to) void navigate({ to });
    },
    pin: async (items) => {
      const { isPinned, pinOf, togglePin } = await import('./pins.ts');
      const pin = pinOf(items);
      if (!pin) return;
      togglePin(pin);
      done(t(isPinned(pin) ? 'sideBar.pinned' : 'sideBar.unpinned', { name: pin.name }), () => togglePin(pin));
    },
    details: ({ kind, only }) => {
      if (kind === 'track' && only) openDetails?.(only.id);
    },
    edit: (items) => {
      if (items.kind === 'track' && items.only) openDetails?.(items.only.id, { edit: true });
      else if (items.kind === 'album' && items.only && isEditedAsOne(items.only, t('library.noAlbum')))
        editAlbum('album', items);
      else edit({ kind: 'fields', items });
    },
    rename: async ({ kind, only }) => {
      if (kind === 'playlist' && only) await playlists.rename(only);
    },
    rules: ({ kind, only }) => {
      if (kind === 'playlist' && only)
        void navigate({ to: '/playlists/$playlistId/rules', params: { playlistId: only.id } });
    },
    versions: ({ kind, only }) => {
      if (kind === 'playlist' && only)
        void navigate({
          to: '/playlists/$playlistId',
          params: { playlistId: only.id },
          search: { versions: true },
        });
    },
    duplicate: async (items) => {
      if (items.kind === 'playlist' && items.only) await playlists.copy(items.only, items.load);
    },
    publish: async ({ kind, only }) => {
      if (kind !== 'playlist' || !only) return;
      await update.mutateAsync({ id: only.id, is_public: !only.is_public });
      tell(t(only.is_public ? 'action.unpublished' : 'action.published', { name: only.name }));
    },
    cover: (items) => editAlbum('cover', items),
    merge: (items) => editAlbum('merge', items),
    split: (items) => editAlbum('split', items),
    match: (items) => editAlbum('match', items),
    identify: async (items) => {
      const tracks = await items.loadFiles();
      for (const { id } of tracks) await identify.mutateAsync(id);
      tell(t('track.identifying', { count: tracks.length }));
    },
    neverSplit: async ({ kind, only }) => {
      if (kind !== 'artist' || !only) return;
      const isNeverSplit = !only.never_split;
      const setNeverSplit = async (never_split: boolean) => {
        await request('PATCH /artists/{id}', { path: { id: only.id }, body: { never_split } });
        await refreshLibrary();
      };
      await setNeverSplit(isNeverSplit);
      done(
        t(isNeverSplit ? 'artist.kept' : 'artist.notKept', { name: only.name }),
        () => void attempt(() => setNeverSplit(!isNeverSplit)),
      );
    },
    fetch: async ({ kind, only }) => {
      if (kind === 'track' && only) await fetchAudio.mutateAsync(only.id);
    },
    download: (items) => download(items),
    downloadMp3: (items) => download(items, 'mp3'),
    exportList: async ({ kind, only, name }) => {
      if (kind === 'playlist' && only) save(await exportUrl(only.id), `${name}.m3u8`);
    },
    share: askHowToShare,
    delete: async (items) => {
      if (items.kind === 'playlist') return items.only && playlists.remove(items.only);
      remove(await items.loadFiles());
    },
  };

  const attempt = (work: () => Promise<unknown> | void): Promise<void> =>
    (async () => void (await work()))().catch((error: unknown) => tell(detailOf(error)));

  return {
    asker,
    sections: (items: Items): Action[][] => actionsFor(items, asker),
    actionOfKey: (key: string, items: Items) => actionOfKey(key, items, asker),
    run: (name: ActionName, items: Items): Promise<void> => attempt(() => runs[name](items)),
    rate: (items: Items, rating: number): Promise<void> =>
      attempt(async () => {
        if (isLikeable(items)) await setLike(items, { rating });
      }),
    /** Returns the label of an action for these items, such as “Like” or “Unlike”. */
    labelOf: (name: ActionName, items: Items): string => {
      if (name === 'like' && isLikedNow(items)) return t('action.unlike');
      if (name === 'publish' && items.kind === 'playlist' && items.only?.is_public) return t('action.unpublish');
      if (name === 'neverSplit' && items.kind === 'artist' && items.only?.never_split) return t('action.maySplit');
      if (name === 'goTo' && items.kind === 'track') return t('track.goToAlbum');
      return t(`action.${name}`);
    },
  };
}
