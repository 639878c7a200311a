// Adds the English texts of devices and of the popover of the player, which are loaded after the window has opened.
import i18next from 'i18next';
import texts from '../../resources/languages/en.json?devices';

i18next.addResourceBundle('en', 'translation', texts, true);
