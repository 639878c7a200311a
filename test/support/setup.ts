// Before each file of tests; what it imports runs once per process.
import '../../scripts/quick-imports.ts';
import './quick-passwords.ts';
