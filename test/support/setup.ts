// Runs before each test file; its imports run once per process.
import '../../scripts/quick-imports.ts';
import './quick-passwords.ts';
