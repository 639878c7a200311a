// The player window. It controls the same player as the other windows.
import { Notifications } from '@mantine/notifications';
import { lazy, Suspense } from 'react';
import { usePrompt } from '../../music/prompts.ts';
import { PlayerDevice } from './player-device.tsx';
import { openSideWindow } from '../side-window.tsx';
import { PlayerWindow } from './player-window.tsx';

const PromptDialogs = lazy(async () => ({
  default: (await import('../../music/name-and-duplicate-dialogs.tsx')).PromptDialogs,
}));

function Prompts() {
  return usePrompt() && <PromptDialogs />;
}

await openSideWindow(
  <>
    <PlayerWindow />
    <PlayerDevice />
    <Suspense>
      <Prompts />
    </Suspense>
    <Notifications position="bottom-center" limit={2} />
  </>,
  () => '/player',
);
