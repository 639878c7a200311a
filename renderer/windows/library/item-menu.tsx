import { lazy, Suspense } from 'react';
import { useEdited } from '../../music/editing.ts';
import { useOpenItemMenu } from '../../music/item-marks.ts';
import { useItemInput } from '../../music/use-item-input.ts';

const ActionMenu = lazy(async () => ({ default: (await import('../../music/action-menu.tsx')).ActionMenu }));
const BatchEdit = lazy(async () => ({ default: (await import('../../features/browse/batch-edit.tsx')).BatchEdit }));

/** The menu of the items in this window, and the form in which several are edited. */
export function ItemMenu() {
  useItemInput();
  const menu = useOpenItemMenu();
  const edited = useEdited();
  return (
    <Suspense>
      {menu && <ActionMenu menu={menu} />}
      {edited && <BatchEdit items={edited} />}
    </Suspense>
  );
}
