// When a stored object may be deleted: leases and deletions in every order.
import { describe, expect, test } from 'vitest';
import { createLeases } from '../../../server/storage/leases.ts';

describe('leases on stored objects', () => {
  /** Work that runs until it is ended. */
  function held(): { work: () => Promise<void>; begun: Promise<void>; end: () => void } {
    const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    return {
      begun: begun.promise,
      end: done.resolve,
      work: () => {
        begun.resolve();
        return done.promise;
      },
    };
  }

  test('a deletion waits for the upload that found the object, and checks again whether it is used', async () => {
    const leases = createLeases();
    const storing = held();
    let isUsed = false;
    let deleted = false;
    const upload = leases.lease('a', async () => {
      await storing.work();
      isUsed = true; // the row is written
    });
    await storing.begun;
    await leases.deleteWhenFree('a', async () => {
      deleted = !isUsed;
    }); // returns, though it is postponed
    expect(deleted).toBe(false);
    storing.end();
    await upload;
    expect(deleted).toBe(false);
  });

  test('after a failed upload the deletion is done', async () => {
    const leases = createLeases();
    const storing = held();
    let deleted = false;
    const upload = leases.lease('a', async () => {
      await storing.work();
      throw new Error('disk full');
    });
    await storing.begun;
    await leases.deleteWhenFree('a', async () => {
      deleted = true;
    });
    storing.end();
    await expect(upload).rejects.toThrow('disk full');
    expect(deleted).toBe(true);
  });

  test('an upload waits for a deletion that has begun, and then stores the object again', async () => {
    const leases = createLeases();
    const deleting = held();
    const order: string[] = [];
    const deletion = leases.deleteWhenFree('a', async () => {
      await deleting.work();
      order.push('deleted');
    });
    const upload = leases.lease('a', async () => {
      order.push('stored');
    });
    const other = leases.lease('b', async () => {
      order.push('other');
    });
    await other;
    expect(order).toEqual(['other']);
    deleting.end();
    await Promise.all([deletion, upload]);
    expect(order).toEqual(['other', 'deleted', 'stored']);
  });

  test('a scan leases everything: deletions wait for its end, and it waits for those that have begun', async () => {
    const leases = createLeases();
    const [deleting, scanning] = [held(), held()];
    const order: string[] = [];
    const first = leases.deleteWhenFree('a', async () => {
      await deleting.work();
      order.push('first');
    });
    const scan = leases.leaseAll(async () => {
      order.push('scan');
      await scanning.work();
    });
    await leases.deleteWhenFree('b', async () => {
      order.push('b');
    });
    const second = leases.deleteWhenFree('a', async () => {
      order.push('a');
    });
    expect(order).toEqual([]);
    deleting.end();
    await Promise.all([first, second]);
    await scanning.begun;
    expect(order).toEqual(['first', 'scan']);
    scanning.end();
    await scan;
    expect(order.toSorted()).toEqual(['a', 'b', 'first', 'scan']);
  });

  test('two uploads of the same content keep it until the second is done', async () => {
    const leases = createLeases();
    const [one, two] = [held(), held()];
    let deleted = false;
    const both = [leases.lease('a', one.work), leases.lease('a', two.work)];
    await leases.deleteWhenFree('a', async () => {
      deleted = true;
    });
    one.end();
    await both[0];
    expect(deleted).toBe(false);
    two.end();
    await both[1];
    expect(deleted).toBe(true);
  });
});
