import { lazy, Suspense } from 'react';
import { useEdited } from '../../music/editing.ts';
import { useOpenItemMenu } from '../../music/item-marks.ts';
import { useItemInput } from '../../music/use-item-input.ts';

const ActionMenu = lazy(async () => ({ default: (await import('../../music/action-menu.tsx')).ActionMenu }));
const BatchEdit = lazy(async () => ({
  default: (await import('../../features/browse/tracks/batch-edit.tsx')).BatchEdit,
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

/** The context menu of items in this window, and the forms that edit them. */
export function ItemMenu() {
  useItemInput();
  const menu = useOpenItemMenu();
  const edited = useEdited();
  return (
    <Suspense>
      {menu && <ActionMenu menu={menu} />}
      {edited?.kind === 'fields' && <BatchEdit items={edited.items} />}
      {edited?.kind === 'cover' && <CoverDialog album={edited.album} />}
      {edited?.kind === 'merge' && <MergeDialog album={edited.album} />}
      {edited?.kind === 'split' && <SplitDialog album={edited.album} />}
    </Suspense>
  );
}
