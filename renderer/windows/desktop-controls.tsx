// Connects this window's player to the desktop app: tray, task bar and shortcuts display and control the player.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLike, useLiked } from '../api/likes.ts';
import { detailOf } from '../api/problem.ts';
import { useSession } from '../api/session.ts';
import { trackQuery } from '../api/tracks.ts';
import type { DesktopBridge, PlayerReport } from '../desktop.ts';
import { trackCover } from '../api/urls.ts';
import { useCurrentTrack, usePlayer, usePlayerCommands } from '../player/use-player.ts';
import { drawSmall } from '../ui/theme/artwork-accent.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';

const MAX_TITLE_LENGTH = 1_000;
const NOTHING_PLAYING = { id: 0, liked: false };

export function DesktopControls({ bridge }: { bridge: DesktopBridge }) {
  const player = usePlayerCommands();
  const user = useSession()?.user.id;
  const track = useCurrentTrack();
  const status = usePlayer((state) => state.status);
  const isSleeping = usePlayer((state) => state.sleep !== null);
  const { tell } = useUndoNotice();
  const like = useLike((error) => tell(detailOf(error)));
  // the track is fetched again, because the queue may be days old
  const { data } = useQuery({ ...trackQuery(track?.id ?? 0), enabled: track !== null && user !== undefined });
  const item = (track && data) ?? track ?? NOTHING_PLAYING;
  const liked = useLiked('track', item);
  const cover = useSmallCover(track && trackCover(track, 64));
  const report: PlayerReport = {
    status,
    title: track?.title.slice(0, MAX_TITLE_LENGTH) ?? null,
    artist: track?.artist_name?.slice(0, MAX_TITLE_LENGTH) ?? null,
    album: track?.album_id ? { id: track.album_id, title: track.album_title?.slice(0, MAX_TITLE_LENGTH) ?? '' } : null,
    cover,
    isLiked: track && liked,
    isSleeping,
  };

  const toggleLike = useRef(() => {});
  toggleLike.current = () => {
    if (track) like.mutate({ type: 'track', item, liked: !liked });
  };
  useEffect(
    () =>
      bridge.onMessage((message) => {
        if (message.kind === 'sleep') player.setSleep(message.minutes);
        else if (message.kind !== 'player') return;
        else if (message.command === 'like') toggleLike.current();
        else player[message.command]();
      }),
    [bridge, player],
  );

  // reported again after a sign-in, because the app may have been waiting for the first account
  const reportText = JSON.stringify(report);
  useEffect(() => {
    bridge.reportPlayer(JSON.parse(reportText) as PlayerReport).catch(() => undefined);
  }, [bridge, reportText, user]);
  return null;
}

/** Returns the cover as a data URL, since the app's own requests are not signed in; null until the cover is loaded. */
function useSmallCover(src: string | null): string | null {
  const [drawnCover, setDrawn] = useState<{ src: string; cover: string | null } | null>(null);
  useEffect(() => {
    if (!src) return undefined;
    let isStale = false;
    const show = (cover: string | null): void => {
      if (!isStale) setDrawn({ src, cover });
    };
    drawSmall(src).then(
      (context) => show(context && context.canvas.toDataURL('image/png')),
      () => show(null), // without a picture only the text is displayed
    );
    return () => {
      isStale = true;
    };
  }, [src]);
  return drawnCover?.src === src ? drawnCover.cover : null;
}
