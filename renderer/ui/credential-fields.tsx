import { PasswordInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface CredentialFieldsProps {
  /** A password that is being chosen, not one that is known already. */
  isNew: boolean;
  /** Off for the account of somebody else. */
  usernameHint?: 'username' | 'off';
  /** What the server says is wrong with a field. */
  faultOf: (field: 'username' | 'password') => string | undefined;
}

/** User name and password, as password managers know them. */
export function CredentialFields({ isNew, usernameHint = 'username', faultOf }: CredentialFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        name="username"
        label={t('account.username')}
        autoComplete={usernameHint}
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
        autoFocus
        error={faultOf('username')}
      />
      <PasswordInput
        name="password"
        label={t('account.password')}
        autoComplete={isNew ? 'new-password' : 'current-password'}
        required
        withAsterisk={false}
        error={faultOf('password')}
        {...(isNew && { description: t('account.passwordRule'), minLength: 8 })}
        visibilityToggleButtonProps={{ 'aria-label': t('account.showPassword') }}
      />
    </>
  );
}
