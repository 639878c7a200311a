// The English texts of pages that no window begins with. Imported by what shows them.
import i18next from 'i18next';
import texts from '../../resources/languages/en.json?pages';

i18next.addResourceBundle('en', 'translation', texts, true);
