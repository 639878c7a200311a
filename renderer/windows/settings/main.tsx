// The settings window.
import texts from '../../../resources/languages/en.json?settings';
import { NoticeSlot } from '../notice-slot.tsx';
import { openSideWindow } from '../side-window.tsx';
import { SettingsWindow } from './settings-window.tsx';

await openSideWindow(
  <>
    <SettingsWindow />
    <NoticeSlot />
  </>,
  () => `/settings${location.hash}`,
  texts,
);
