// First run: the owner's account, the music folder, and network access. The current step is in the URL, so that a
// reload continues with it.
import { useLoaderData, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { AuthLayout } from './auth-layout.tsx';
import { SetupAccount } from './setup-account.tsx';
import { SetupFolder } from './setup-folder.tsx';
import { SetupNetwork } from './setup-network.tsx';

const SETUP_STEPS = ['account', 'folder', 'network'] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];

export function SetupPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { step = 'account', token } = useSearch({ from: '/setup' });
  const { handedToken } = useLoaderData({ from: '/setup' });
  const goTo = (next: SetupStep) => void navigate({ to: '/setup', search: { step: next }, replace: true });
  return (
    <AuthLayout
      title={t(`setup.${step}.title`)}
      lead={t(`setup.${step}.lead`)}
      step={{ number: SETUP_STEPS.indexOf(step) + 1, total: SETUP_STEPS.length }}
    >
      {step === 'account' && <SetupAccount token={token ?? handedToken} onDone={() => goTo('folder')} />}
      {step === 'folder' && <SetupFolder onDone={() => goTo('network')} />}
      {step === 'network' && <SetupNetwork onDone={() => void navigate({ to: '/' })} />}
    </AuthLayout>
  );
}
