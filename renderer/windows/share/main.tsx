// The page that guests open: the music that somebody shares with them. It uses no session and none of the windows'
// requests.
import '@fontsource-variable/geist/index.css';
import '../../ui/theme/tokens.css';
import '../../ui/theme/base.css';
import { createRoot } from 'react-dom/client';
import guestTexts from '../../../resources/languages/en.json?guest';
import { startI18n } from '../../i18n/i18n.ts';
import { Tooltips } from '../../ui/controls/tooltips.tsx';
import { SharePage } from './share-page.tsx';

await startI18n(guestTexts);
createRoot(document.getElementById('root')!).render(
  <>
    <SharePage />
    <Tooltips />
  </>,
);
