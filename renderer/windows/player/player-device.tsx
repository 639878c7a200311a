import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { openEventStream } from '../../api/events.ts';
import { useSession } from '../../api/session.ts';
import { useDevice } from '../use-device.ts';

/** Makes the player window a device of its own: the sound may come from it. */
export function PlayerDevice() {
  const queries = useQueryClient();
  const token = useSession()?.token;
  useDevice();
  useEffect(() => {
    if (!token) return undefined;
    const stream = openEventStream({ queries, onJobDone: () => {} }); // the library window tells of ended jobs
    return () => stream.close();
  }, [token, queries]);
  return null;
}
