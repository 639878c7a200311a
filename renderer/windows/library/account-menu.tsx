import { Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useContext, type ReactElement, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconDevices, IconKeyboard, IconLink, IconPin, IconSettings, IconSignOut } from '../../ui/theme/icons.ts';
import { tryEndSession } from '../../api/account.ts';
import { leaveOnPurpose } from '../../api/session.ts';
import { useMayHaveShares } from '../../api/shares.ts';
import { WindowPartsContext } from '../../features/search/window-parts.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { RadioItems } from '../../ui/controls/choice-menu.tsx';
import { chooseScheme, SCHEME_CHOICES, useSchemeChoice } from '../../ui/theme/scheme.ts';
import { SETTINGS_WINDOW } from '../../ui/open-window.ts';
import '../../i18n/device-texts.ts';
import '../../i18n/page-texts.ts';

interface AccountMenuProps {
  onShortcuts: () => void;
  /** Opens the choice of pages in the side bar. */
  onCustomize: () => void;
  target: ReactElement;
  /** Items above those of this menu. */
  children?: ReactNode;
}

/** A menu that is loaded on its first click and then opened. */
export function AccountMenu({ onShortcuts, onCustomize, target, children }: AccountMenuProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const player = usePlayerCommands();
  const choice = useSchemeChoice();
  const mayHaveShares = useMayHaveShares();
  const { onDevices } = useContext(WindowPartsContext);
  const signOut = () => {
    player.clear();
    queries.clear();
    void tryEndSession();
    leaveOnPurpose();
  };
  return (
    <Menu position="top-start" width={220} defaultOpened>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {children}
        <Menu.Label>{t('scheme.label')}</Menu.Label>
        <RadioItems
          value={choice}
          onChange={chooseScheme}
          options={SCHEME_CHOICES.map((scheme) => ({ value: scheme, label: t(`scheme.${scheme}`) }))}
        />
        <Menu.Divider />
        <Menu.Item leftSection={<IconDevices size={16} aria-hidden />} onClick={onDevices}>
          {t('devices.title')}
        </Menu.Item>
        {mayHaveShares && (
          <Menu.Item
            leftSection={<IconLink size={16} aria-hidden />}
            renderRoot={(props) => <Link to="/shares" {...props} />}
          >
            {t('share.title')}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconSettings size={16} aria-hidden />}
          component="a"
          href={SETTINGS_WINDOW.href}
          target={SETTINGS_WINDOW.target}
        >
          {t('nav.settings')}
        </Menu.Item>
        <Menu.Item leftSection={<IconPin size={16} aria-hidden />} onClick={onCustomize}>
          {t('sideBar.title')}
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={16} aria-hidden />} onClick={onShortcuts}>
          {t('shortcuts.title')}
        </Menu.Item>
        <Menu.Item leftSection={<IconSignOut size={16} aria-hidden />} onClick={signOut}>
          {t('account.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
