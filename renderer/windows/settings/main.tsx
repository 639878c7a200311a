// The settings window.
import { openSideWindow } from '../side-window.tsx';
import { SettingsWindow } from './settings-window.tsx';

await openSideWindow(<SettingsWindow />, () => `/settings${location.hash}`);
