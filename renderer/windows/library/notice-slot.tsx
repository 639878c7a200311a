import { useNotifications } from '@mantine/notifications';
import { lazy, Suspense, useRef } from 'react';

const Notices = lazy(async () => ({ default: (await import('../notices.tsx')).Notices }));

/** Where notices appear; loaded with the first of them. */
export function NoticeSlot() {
  const { notifications } = useNotifications();
  const isWanted = useRef(false);
  isWanted.current ||= notifications.length > 0;
  return (
    isWanted.current && (
      <Suspense>
        <Notices />
      </Suspense>
    )
  );
}
