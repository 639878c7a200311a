// The menu of a right click: spelling, editing, and copying the address of a link. For music, pages have their own
// menus.
import { app, clipboard, Menu, type MenuItemConstructorOptions, type WebContents } from 'electron';
import type { Say } from './texts.ts';

const MAX_SUGGESTIONS = 5;

export function offerContextMenus(say: Say): void {
  app.on('web-contents-created', (_event, page) => {
    page.on('context-menu', (_event, params) => {
      const items = itemsFor(params, page, say);
      if (items.length > 0) Menu.buildFromTemplate(items).popup();
    });
  });
}

function itemsFor(
  { isEditable, selectionText, misspelledWord, dictionarySuggestions, linkURL, editFlags }: Electron.ContextMenuParams,
  page: Pick<WebContents, 'replaceMisspelling'>,
  say: Say,
): MenuItemConstructorOptions[] {
  const spelling = dictionarySuggestions.slice(0, MAX_SUGGESTIONS).map((word) => ({
    label: word,
    click: () => page.replaceMisspelling(word),
  }));
  if (isEditable)
    return [
      ...spelling,
      ...(misspelledWord !== '' && spelling.length > 0 ? [{ type: 'separator' } as const] : []),
      { role: 'undo', label: say('edit.undo'), enabled: editFlags.canUndo },
      { role: 'redo', label: say('edit.redo'), enabled: editFlags.canRedo },
      { type: 'separator' },
      { role: 'cut', label: say('edit.cut'), enabled: editFlags.canCut },
      { role: 'copy', label: say('edit.copy'), enabled: editFlags.canCopy },
      { role: 'paste', label: say('edit.paste'), enabled: editFlags.canPaste },
      { role: 'selectAll', label: say('edit.selectAll'), enabled: editFlags.canSelectAll },
    ];
  return [
    ...(selectionText.trim() === '' ? [] : [{ role: 'copy', label: say('edit.copy') } as const]),
    ...(linkURL.startsWith('https:')
      ? [{ label: say('edit.copyLink'), click: () => clipboard.writeText(linkURL) }]
      : []),
  ];
}
