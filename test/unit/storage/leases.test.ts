// Tests when a stored object may be deleted, with leases and deletions in every order.
import { describe, expect, test } from 'vitest';
import { createLeases } from '../../../server/storage/leases.ts';

describe('leases on stored objects', () => {
  /** Creates work that runs until `end` is called. */
  function holdWork(): { work: () => Promise<void>; hasBegun: Promise<void>; end: () => void } {
    const [workBegun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    return {
      hasBegun: workBegun.promise,
      end: release.resolve,
      work: () => {
        workBegun.resolve();
        return release.promise;
      },
    };
  }

  test('a deletion waits for the upload that found the object, and checks again whether it is used', async () => {
    const leases = createLeases();
    const storing = holdWork();
    let isUsed = false;
    let isDeleted = false;
    const upload = leases.lease('a', async () => {
      await storing.work();
      isUsed = true; // simulates that the upload has written its row
    });
    await storing.hasBegun;
    await leases.deleteWhenFree('a', async () => {
      isDeleted = !isUsed;
    }); // deleteWhenFree returns although the deletion is postponed
    expect(isDeleted).toBe(false);
    storing.end();
    await upload;
    expect(isDeleted).toBe(false);
  });

  test('after a failed upload the deletion is done', async () => {
    const leases = createLeases();
    const storing = holdWork();
    let isDeleted = false;
    const upload = leases.lease('a', async () => {
      await storing.work();
      throw new Error('disk full');
    });
    await storing.hasBegun;
    await leases.deleteWhenFree('a', async () => {
      isDeleted = true;
    });
    storing.end();
    await expect(upload).rejects.toThrow('disk full');
    expect(isDeleted).toBe(true);
  });

  test('an upload waits for a deletion that has begun, and then stores the object again', async () => {
    const leases = createLeases();
    const deleting = holdWork();
    const order: string[] = [];
    const deletion = leases.deleteWhenFree('a', async () => {
      await deleting.work();
      order.push('deleted');
    });
    const upload = leases.lease('a', async () => {
      order.push('stored');
    });
    const otherLease = leases.lease('b', async () => {
      order.push('other');
    });
    await otherLease;
    expect(order).toEqual(['other']);
    deleting.end();
    await Promise.all([deletion, upload]);
    expect(order).toEqual(['other', 'deleted', 'stored']);
  });

  test('a scan leases everything: deletions wait for its end, and it waits for those that have begun', async () => {
    const leases = createLeases();
    const [deletion, scanning] = [holdWork(), holdWork()];
    const order: string[] = [];
    const firstDeletion = leases.deleteWhenFree('a', async () => {
      await deletion.work();
      order.push('first');
    });
    const scan = leases.leaseAll(async () => {
      order.push('scan');
      await scanning.work();
    });
    await leases.deleteWhenFree('b', async () => {
      order.push('b');
    });
    const secondDeletion = leases.deleteWhenFree('a', async () => {
      order.push('a');
    });
    expect(order).toEqual([]);
    deletion.end();
    await Promise.all([firstDeletion, secondDeletion]);
    await scanning.hasBegun;
    expect(order).toEqual(['first', 'scan']);
    scanning.end();
    await scan;
    expect(order.toSorted()).toEqual(['a', 'b', 'first', 'scan']);
  });

  test('two uploads of the same content keep it until the second is done', async () => {
    const leases = createLeases();
    const [firstUpload, secondUpload] = [holdWork(), holdWork()];
    let isDeleted = false;
    const leasePromises = [leases.lease('a', firstUpload.work), leases.lease('a', secondUpload.work)];
    await leases.deleteWhenFree('a', async () => {
      isDeleted = true;
    });
    firstUpload.end();
    await leasePromises[0];
    expect(isDeleted).toBe(false);
    secondUpload.end();
    await leasePromises[1];
    expect(isDeleted).toBe(true);
  });
});
