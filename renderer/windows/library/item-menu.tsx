import { lazy, Suspense } from 'react';
import { useEdited } from '../../music/editing.ts';
import { useOpenItemMenu } from '../../music/item-marks.ts';
import { useItemInput } from '../../music/use-item-input.ts';

const ActionMenu = lazy(async () => ({ default: (await import('../../music/action-menu.tsx')).ActionMenu }));
const EditDialogs = lazy(async () => ({ default: (await import('./edit-dialogs.tsx')).EditDialogs }));

/** The context menu of items in this window, and the forms that edit them. */
export function ItemMenu() {
  useItemInput();
  const menu = useOpenItemMenu();
  const edited = useEdited();
  return (
    <Suspense>
      {menu && <ActionMenu menu={menu} />}
      {edited && <EditDialogs edited={edited} />}
    </Suspense>
  );
}
