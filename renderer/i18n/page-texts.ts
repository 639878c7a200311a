// Adds the English texts of pages that are loaded on demand. These pages import this module.
import i18next from 'i18next';
import texts from '../../resources/languages/en.json?pages';

i18next.addResourceBundle('en', 'translation', texts, true);
