// Handlers that do nothing, for tests that are about some tasks only: `jobs.start({ ...IDLE_TASKS, cover_task: … })`.
import { TASKS, type Handlers, type TaskName } from '../../server/jobs/tasks.ts';

export const IDLE_TASKS = Object.fromEntries(
  (Object.keys(TASKS) as TaskName[]).map((name) => [name, async () => null]),
) as unknown as Handlers;
