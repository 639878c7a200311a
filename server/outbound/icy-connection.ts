// Connects to SHOUTcast 1 servers, whose responses begin with `ICY 200 OK`; Node accepts only `HTTP/1.0 200 OK`.
import type { ClientRequestArgs } from 'node:http';
import { connect } from 'node:net';
import { Duplex, Transform } from 'node:stream';

const ICY_PREFIX = Buffer.from('ICY ');
const HTTP_PREFIX = Buffer.from('HTTP/1.0 ');

export function connectToIcy({ host, port, lookup }: ClientRequestArgs): Duplex {
  const socket = connect({ host: host ?? '', port: Number(port), ...(lookup && { lookup }) });
  const asHttp = new Transform({ transform: replaceIcyPrefix() });
  socket.on('error', (error) => asHttp.destroy(error)).pipe(asHttp);
  return Duplex.from({ readable: asHttp, writable: socket });
}

/** Replaces the prefix in the first bytes of the response, which may arrive one by one. */
function replaceIcyPrefix(): NonNullable<ConstructorParameters<typeof Transform>[0]>['transform'] {
  let begin: Buffer | undefined = Buffer.alloc(0);
  return (chunk: Buffer, _encoding, done) => {
    if (!begin) return done(null, chunk);
    begin = Buffer.concat([begin, chunk]);
    const isIcy = ICY_PREFIX.equals(begin.subarray(0, ICY_PREFIX.length));
    if (!isIcy && ICY_PREFIX.subarray(0, begin.length).equals(begin)) return done();
    const firstBytes = isIcy ? Buffer.concat([HTTP_PREFIX, begin.subarray(ICY_PREFIX.length)]) : begin;
    begin = undefined;
    done(null, firstBytes);
  };
}
