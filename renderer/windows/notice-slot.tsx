import { useNotifications } from '@mantine/notifications';
import { Component, lazy, Suspense, useRef, type ReactNode } from 'react';

const load = () => import('./notices.tsx');
const Notices = lazy(async () => ({ default: (await load()).Notices }));

/** Once the window is idle, so that without the server it can still be told what does not work. */
export const preloadNotices = (): void => void load().catch(() => undefined);

/** A notice whose code cannot be loaded is not shown; React logs why. Without this the whole window would be empty. */
class Alone extends Component<{ children: ReactNode }> {
  override state = { isMissing: false };
  static getDerivedStateFromError = () => ({ isMissing: true });
  override render() {
    return !this.state.isMissing && this.props.children;
  }
}

/** Where notices appear; loaded with the first of them. */
export function NoticeSlot() {
  const { notifications } = useNotifications();
  const isWanted = useRef(false);
  isWanted.current ||= notifications.length > 0;
  return (
    isWanted.current && (
      <Alone>
        <Suspense>
          <Notices />
        </Suspense>
      </Alone>
    )
  );
}
