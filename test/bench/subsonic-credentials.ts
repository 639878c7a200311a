// The parameters that authenticate a Subsonic client.
import { createHash } from 'node:crypto';

const LOGIN_SALT = 'c19b2d';

export const credentialsFor = ({ username, password }: { username: string; password: string }): string =>
  new URLSearchParams({
    u: username,
    s: LOGIN_SALT,
    t: createHash('md5')
      .update(password + LOGIN_SALT)
      .digest('hex'),
    v: '1.16.1',
    c: 'bench',
    f: 'json',
  }).toString();
