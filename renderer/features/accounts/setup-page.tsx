// First run: the owner's account, the music folder, and network access. The current step is in the URL, so that a
// reload continues with it. With `other`, the page only chooses another folder.
import { useLoaderData, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { AuthLayout } from './auth-layout.tsx';
import { SetupAccount } from './setup-account.tsx';
import { SetupFolder } from './setup-folder.tsx';
import { SetupNetwork } from './setup-network.tsx';
import '../../i18n/page-texts.ts';

const SETUP_STEPS = ['account', 'folder', 'network'] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];

export function SetupPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { step = 'account', token, other = false } = useSearch({ from: '/setup' });
  const { handedToken } = useLoaderData({ from: '/setup' });
  const goTo = (next: SetupStep) => void navigate({ to: '/setup', search: { step: next }, replace: true });
  const openLibrary = () => void navigate({ to: '/' });
  if (other)
    return (
      <AuthLayout title={t('setup.folder.title')} lead={t('setup.folder.lead')}>
        <SetupFolder isOtherFolder onDone={openLibrary} onSkip={openLibrary} />
      </AuthLayout>
    );
  return (
    <AuthLayout
      title={t(`setup.${step}.title`)}
      lead={t(`setup.${step}.lead`)}
      step={{ number: SETUP_STEPS.indexOf(step) + 1, total: SETUP_STEPS.length }}
    >
      {step === 'account' && <SetupAccount token={token ?? handedToken} onDone={() => goTo('folder')} />}
      {step === 'folder' && (
        <SetupFolder isOtherFolder={false} onDone={() => goTo('network')} onSkip={() => goTo('network')} />
      )}
      {step === 'network' && <SetupNetwork onBack={() => goTo('folder')} onDone={openLibrary} />}
    </AuthLayout>
  );
}
