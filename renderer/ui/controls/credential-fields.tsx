import { PasswordInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface CredentialFieldsProps {
  /** True while the user chooses a new password, which password managers need to know. */
  isNew: boolean;
  /** “off” for the account of another person. */
  usernameHint?: 'username' | 'off';
  /** Returns the server's error for a field. */
  faultOf: (field: 'username' | 'password') => string | undefined;
}

/** User name and password. */
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
