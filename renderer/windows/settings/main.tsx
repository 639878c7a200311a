// The settings window.
import texts from '../../../resources/languages/en.json?settings';
import { openSideWindow } from '../side-window.tsx';
import { SettingsWindow } from './settings-window.tsx';

await openSideWindow(<SettingsWindow />, () => `/settings${location.hash}`, texts);
