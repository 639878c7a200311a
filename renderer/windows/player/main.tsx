// The player window. It controls the same player as the other windows.
import { Notifications } from '@mantine/notifications';
import { PromptDialogs } from '../../music/prompt-dialogs.tsx';
import { openSideWindow } from '../side-window.tsx';
import { PlayerWindow } from './player-window.tsx';

await openSideWindow(
  <>
    <PlayerWindow />
    <PromptDialogs />
    <Notifications position="bottom-center" limit={2} />
  </>,
  () => '/player',
);
