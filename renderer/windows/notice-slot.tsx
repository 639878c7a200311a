import { useNotifications } from '@mantine/notifications';
import { Component, lazy, Suspense, useRef, type ReactNode } from 'react';

const load = () => import('./notices.tsx');
const Notices = lazy(async () => ({ default: (await load()).Notices }));

/** Loads the notices when the window is idle, so that errors can be displayed without the server. */
export const preloadNotices = (): void => void load().catch(() => undefined);

/**
 * Hides notices whose code cannot be loaded; React logs the reason. Without this boundary the whole window would be
 * empty.
 */
class Alone extends Component<{ children: ReactNode }> {
  override state = { isMissing: false };
  static getDerivedStateFromError = () => ({ isMissing: true });
  override render() {
    return !this.state.isMissing && this.props.children;
  }
}

/** The place where notices appear; its code is loaded with the first notice. */
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
