// A system's keychain with the interface of the keychain packages. Its content is `entries`, and it can fail like real
// ones.
import type { Keychain, KeychainPackage } from '../../server/config/keychain.ts';

export interface FakeKeychain extends KeychainPackage {
  entries: Map<string, string>;
  /**
   * The fault from now on. `lies` stores a value and returns another; `breaksAfter` fails after that many more writes.
   */
  fault: 'absent' | 'silent' | 'lies' | { breaksAfter: number } | undefined;
  /** Called when the fake leaves a request without a response. */
  onSilence: () => void;
}

export function createFakeKeychain(name = 'keyring', entries = new Map<string, string>()): FakeKeychain {
  const silent = (): Promise<never> => {
    fake.onSilence();
    return new Promise(() => undefined);
  };
  const keychain: Keychain = {
    get: async (account) =>
      fake.fault === 'silent'
        ? silent()
        : fake.fault === 'lies' && entries.has(account)
          ? 'something else'
          : entries.get(account),
    async set(account, value) {
      if (fake.fault === 'silent') return silent();
      if (typeof fake.fault === 'object' && fake.fault.breaksAfter-- <= 0) throw new Error('the keychain was locked');
      entries.set(account, value);
    },
    delete: async (account) => void entries.delete(account),
  };
  const fake: FakeKeychain = {
    name,
    entries,
    fault: undefined,
    onSilence: () => undefined,
    open: async () => {
      if (fake.fault === 'absent') throw new Error(`Cannot find package '${name}'`);
      return keychain;
    },
  };
  return fake;
}
