// An export has no passwords. When it replaces a library, the accounts of that library go on.
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';

/**
 * Accounts with the same name keep the password of `from`; those that `to` does not have are added. Tokens of `from`
 * are of no session in `to`: the ids of its sessions are not given again. Can be repeated.
 */
export function keepAccounts(from: string, to: string): void {
  if (!existsSync(from)) return;
  const db = new Database(to);
  try {
    db.prepare('ATTACH ? AS old').run(from);
    db.transaction(() => {
      if (!hasTable('users')) return;
      db.exec(`UPDATE users SET password_hash = o.password_hash, is_superuser = max(users.is_superuser, o.is_superuser)
          FROM old.users o WHERE o.username_key = users.username_key;
        INSERT INTO users (username, username_key, password_hash, is_superuser, token_version, created_at)
          SELECT username, username_key, password_hash, is_superuser, token_version, created_at FROM old.users
          WHERE username_key NOT IN (SELECT username_key FROM users)`);
      if (!hasTable('sessions')) return;
      db.exec(`INSERT INTO sqlite_sequence (name, seq) SELECT 'sessions', 0
          WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'sessions');
        UPDATE sqlite_sequence SET seq = max(seq, (SELECT coalesce(max(seq), 0) FROM old.sqlite_sequence
          WHERE name = 'sessions')) WHERE name = 'sessions'`);
    })();
  } finally {
    db.close();
  }

  function hasTable(name: string): boolean {
    return db.prepare("SELECT 1 FROM old.sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
  }
}
