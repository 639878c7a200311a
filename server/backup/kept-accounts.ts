// An export has no passwords. When it replaces a library, the accounts of that library go on.
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';

/** What gives access to an account. */
const ACCESS_TABLES = ['sessions', 'app_passwords', 'scrobble_accounts'];

/**
 * Whatever gives access in `to` is removed: nobody gets in with what an export brought. Shares stay as far as `from`
 * still has them: others were deleted since, or are somebody else's. Accounts with the same name keep the password of
 * `from`, and are superusers if they are there; those that `to` does not have are added. Tokens of `from` are of no
 * session in `to`: the ids of its sessions are not given again. Can be repeated.
 */
export function keepAccounts(from: string, to: string): void {
  const db = new Database(to);
  try {
    if (existsSync(from)) db.prepare('ATTACH ? AS old').run(from);
    else db.exec("ATTACH ':memory:' AS old");
    db.transaction(() => {
      db.exec("UPDATE users SET password_hash = ''");
      for (const table of ACCESS_TABLES) if (hasTable('main', table)) db.exec(`DELETE FROM main.${table}`);
      const isThere = hasTable('old', 'shares') ? 'token IN (SELECT token FROM old.shares)' : 'false';
      if (hasTable('main', 'shares')) db.exec(`DELETE FROM main.shares WHERE NOT (${isThere})`);
      if (!hasTable('old', 'users')) return;
      db.exec(`UPDATE users SET password_hash = o.password_hash, is_superuser = o.is_superuser
          FROM old.users o WHERE o.username_key = users.username_key;
        INSERT INTO users (username, username_key, password_hash, is_superuser, token_version, created_at)
          SELECT username, username_key, password_hash, is_superuser, token_version, created_at FROM old.users
          WHERE username_key NOT IN (SELECT username_key FROM users)`);
      if (!hasTable('old', 'sessions')) return;
      db.exec(`INSERT INTO sqlite_sequence (name, seq) SELECT 'sessions', 0
          WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'sessions');
        UPDATE sqlite_sequence SET seq = max(seq, (SELECT coalesce(max(seq), 0) FROM old.sqlite_sequence
          WHERE name = 'sessions')) WHERE name = 'sessions'`);
    })();
  } finally {
    db.close();
  }

  function hasTable(schema: 'main' | 'old', name: string): boolean {
    return (
      db.prepare(`SELECT 1 FROM ${schema}.sqlite_schema WHERE type = 'table' AND name = ?`).get(name) !== undefined
    );
  }
}
