import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError, conflict, invalid, notFound, type ErrorCode } from '../../../server/errors.ts';
import { ProblemOut, toFields, toProblem } from '../../../server/http/problem.ts';

describe('problems', () => {
  it.each<[ErrorCode, number]>([
    ['bad_request', 400],
    ['unauthenticated', 401],
    ['forbidden', 403],
    ['not_found', 404],
    ['method_not_allowed', 405],
    ['conflict', 409],
    ['gone', 410],
    ['too_large', 413],
    ['unsupported_type', 415],
    ['range_not_satisfiable', 416],
    ['invalid', 422],
    ['too_many_requests', 429],
    ['queue_unavailable', 503],
    ['unavailable', 503],
    ['storage_full', 507],
  ])('%s is %s', (code, status) => {
    const { problem, isUnexpected } = toProblem(new AppError(code, 'In words.'));
    expect(problem).toMatchObject({ type: 'about:blank', status, detail: 'In words.' });
    expect(ProblemOut.parse(problem)).toEqual(problem);
    expect(isUnexpected).toBe(false);
  });

  it('have the headers of their status', () => {
    expect(toProblem(new AppError('unauthenticated', 'x')).headers).toEqual({ 'WWW-Authenticate': 'Bearer' });
    expect(toProblem(new AppError('too_many_requests', 'x', { retryAfter: 42 })).headers).toEqual({
      'Retry-After': '42',
    });
    expect(toProblem(new AppError('queue_unavailable', 'x')).headers).toEqual({ 'Retry-After': '5' });
    expect(toProblem(conflict('x')).headers).toEqual({});
  });

  it('list the invalid fields', () => {
    const { problem } = toProblem(invalid([{ field: 'year', message: 'must be a number' }]));
    expect(problem).toMatchObject({
      status: 422,
      detail: 'year: must be a number',
      errors: [{ field: 'year', message: 'must be a number' }],
    });
    expect(toProblem(notFound('track')).problem.errors).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['an Error', new Error('at /home/ann/secret.db')],
    ['a text', 'at /home/ann'],
    ['nothing', undefined],
    ['null', null],
    ['an object', { status: 404, message: '/home/ann' }],
    ['an error with a status of another kind', Object.assign(new Error('/home/ann'), { status: 418 })],
  ])('have a neutral text for %s', (_, error) => {
    const { problem, isUnexpected } = toProblem(error);
    expect([problem.status, isUnexpected]).toEqual([500, true]);
    expect(JSON.stringify(problem)).not.toContain('/home');
  });

  it.each([
    [400, 400],
    [413, 413],
    [415, 415],
  ])('replace the message of a body parser’s %s', (status, expected) => {
    const { problem } = toProblem(Object.assign(new Error('Unexpected token s in JSON at /x'), { status }));
    expect(problem.status).toBe(expected);
    expect(problem.detail).not.toContain('Unexpected');
  });

  it.each(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])('say that the disk is full on %s', (code) => {
    expect(toProblem(Object.assign(new Error('write'), { code })).problem).toMatchObject({
      status: 507,
      title: 'Disk full',
    });
  });

  it('name a field by its path in the body, and each unknown one', () => {
    const parseResult = z
      .strictObject({ tracks: z.array(z.strictObject({ title: z.string() })) })
      .safeParse({ tracks: [{ title: 1, x: 2, y: 3 }], z: 4 });
    expect(
      parseResult.error &&
        toFields(parseResult.error)
          .map((error) => error.field)
          .sort(),
    ).toEqual(['tracks.0.title', 'tracks.0.x', 'tracks.0.y', 'z']);
    const result = z.object({}).safeParse(null);
    expect(result.error && toFields(result.error).map((error) => error.field)).toEqual(['body']);
  });
});
