// The forms that edit items, one at a time.
import { lazy } from 'react';
import type { Editing } from '../../music/editing.ts';

const BatchEdit = lazy(async () => ({
  default: (await import('../../features/browse/tracks/batch-edit.tsx')).BatchEdit,
}));
const AlbumEdit = lazy(async () => ({
  default: (await import('../../features/browse/albums/album-edit.tsx')).AlbumEdit,
}));
const AlbumMatch = lazy(async () => ({
  default: (await import('../../features/browse/albums/album-match.tsx')).AlbumMatch,
}));
const CoverDialog = lazy(async () => ({
  default: (await import('../../features/browse/albums/cover-dialog.tsx')).CoverDialog,
}));
const MergeDialog = lazy(async () => ({
  default: (await import('../../features/browse/albums/album-regroup.tsx')).MergeDialog,
}));
const SplitDialog = lazy(async () => ({
  default: (await import('../../features/browse/albums/album-regroup.tsx')).SplitDialog,
}));

const DIALOGS = { album: AlbumEdit, match: AlbumMatch, cover: CoverDialog, merge: MergeDialog, split: SplitDialog };

export function EditDialogs({ edited }: { edited: Editing }) {
  if (edited.kind === 'fields') return <BatchEdit items={edited.items} />;
  const Dialog = DIALOGS[edited.kind];
  return <Dialog album={edited.album} />;
}
