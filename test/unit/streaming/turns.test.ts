import { describe, expect, it } from 'vitest';
import { createTurns, type Need, type Turn } from '../../../server/streaming/turns.ts';

const NEVER = new AbortController().signal;

function openTurns(maxWorking: number, maxWaiting = 100) {
  const clock = { ms: 0 };
  const turns = createTurns({ maxWorking: () => maxWorking, maxWaiting, clock: () => clock.ms });
  const started: string[] = [];
  const enter = (name: string, need: () => Need = () => 'listener', signal = NEVER): Promise<Turn> =>
    turns.enter(need, signal).then((turn) => {
      started.push(name);
      return turn;
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { turns, clock, started, enter, settle };
}

describe('turns', () => {
  it('pass to those that wait after half a second, and come back', async () => {
    const { clock, started, enter, settle } = openTurns(1);
    const first = await enter('first');
    const second = enter('second');
    await first.next(NEVER);
    await settle();
    expect(started).toEqual(['first']);
    clock.ms = 500;
    const back = first.next(NEVER).then(() => started.push('first again'));
    const secondTurn = await second;
    expect(started).toEqual(['first', 'second']);
    secondTurn.leave();
    await back;
    expect(started).toEqual(['first', 'second', 'first again']);
  });

  it('last as long as nobody waits', async () => {
    const { clock, enter } = openTurns(1);
    const turn = await enter('only');
    clock.ms = 60_000;
    await turn.next(NEVER);
  });

  it('go to listeners before the cache, and to nobody else', async () => {
    const { turns, started, enter, settle } = openTurns(1);
    const needs: Record<string, Need> = { unheard: 'none', cache: 'cache', listener: 'listener' };
    const busy = await enter('busy');
    const waiting = Object.keys(needs).map((name) => enter(name, () => needs[name] as Need));
    busy.leave();
    (await (waiting[2] as Promise<Turn>)).leave();
    (await (waiting[1] as Promise<Turn>)).leave();
    await settle();
    expect(started).toEqual(['busy', 'listener', 'cache']);
    needs.unheard = 'listener';
    turns.reconsider();
    await waiting[0];
    expect(started.at(-1)).toBe('unheard');
  });

  it('are given up by what nobody needs any more', async () => {
    const { started, enter, settle } = openTurns(1);
    const first: { need: Need } = { need: 'listener' };
    const turn = await enter('first', () => first.need);
    const second = enter('second');
    first.need = 'none';
    const pause = new AbortController();
    const back = turn.next(pause.signal);
    await second;
    expect(started).toEqual(['first', 'second']);
    pause.abort(new Error('given up'));
    await expect(back).rejects.toThrow('given up');
    turn.leave();
    await settle();
  });

  it('are not given to more than four started programs for each that works', async () => {
    const { turns, clock, started, enter, settle } = openTurns(1);
    const entered: Turn[] = [];
    for (let n = 0; n < 6; n++) void enter(String(n)).then((turn) => entered.push(turn));
    for (let n = 0; n < 3; n++) {
      await settle();
      clock.ms += 500;
      void entered[n]?.next(NEVER);
    }
    await settle();
    expect(started).toEqual(['0', '1', '2', '3']);
    expect(turns.isFull()).toBe(true);
    entered[3]?.leave();
    await settle();
    entered[0]?.leave();
    await settle();
    expect(started).toContain('4');
  });

  it('are refused when too many wait, and to what is aborted', async () => {
    const { enter } = openTurns(1, 1);
    await enter('works');
    const abort = new AbortController();
    const waiting = enter('waits', () => 'listener', abort.signal);
    await expect(enter('too many')).rejects.toMatchObject({ code: 'unavailable' });
    abort.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });
});
