// Aborts multipart uploads of killed processes: they are not listed as objects, but their parts take space and cost.
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
} from '@aws-sdk/client-s3';
import { isKey } from './local-paths.ts';
import type { Bucket } from './s3-client.ts';

type BucketScope = Omit<Bucket, 'healthCheckMs'>;

/** Aborts uploads that began before the given time, and returns their number. */
export async function sweepUploads({ client, bucket, prefix }: BucketScope, startedBefore: Date): Promise<number> {
  let abortedCount = 0;
  for await (const { Key: key = '', UploadId: id, Initiated: startedAt } of listUploads({ client, bucket, prefix })) {
    if (!startedAt || startedAt >= startedBefore || !isKey(key.slice(prefix.length))) continue;
    await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: id }));
    abortedCount++;
  }
  return abortedCount;
}

async function* listUploads({ client, bucket, prefix }: BucketScope): AsyncGenerator<MultipartUpload> {
  for (let marker: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}; marker;) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...marker }),
    );
    yield* page.Uploads ?? [];
    const { NextKeyMarker: key, NextUploadIdMarker: id } = page;
    marker =
      page.IsTruncated && key !== undefined
        ? { KeyMarker: key, ...(id !== undefined && { UploadIdMarker: id }) }
        : undefined;
  }
}
