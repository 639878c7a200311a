// What is known of stores, so that fewer settings have to be made. A setting that is made always counts more.

interface Provider {
  title: string;
  /** `{region}` stands for S3_REGION. Absent: S3_ENDPOINT has to be set, except for AWS. */
  endpoint?: string;
  region?: string;
  pathStyle: boolean;
}

const PROVIDERS = {
  aws: { title: 'Amazon S3', pathStyle: false },
  b2: { title: 'Backblaze B2', endpoint: 'https://s3.{region}.backblazeb2.com', pathStyle: false },
  wasabi: { title: 'Wasabi', endpoint: 'https://s3.{region}.wasabisys.com', region: 'us-east-1', pathStyle: false },
  r2: { title: 'Cloudflare R2', region: 'auto', pathStyle: false },
  minio: { title: 'MinIO', pathStyle: true },
  garage: { title: 'Garage', region: 'garage', pathStyle: true },
  ceph: { title: 'Ceph', pathStyle: true },
  versitygw: { title: 'Versity S3 Gateway', pathStyle: true },
  s3proxy: { title: 'S3Proxy', pathStyle: true },
} satisfies Record<string, Provider>;

type ProviderName = keyof typeof PROVIDERS;
export const PROVIDER_NAMES = Object.keys(PROVIDERS) as [ProviderName, ...ProviderName[]];

interface Address {
  /** Undefined for that of AWS in the region. */
  endpoint: string | undefined;
  region: string;
  pathStyle: boolean;
}

/** Where the store is and how it is asked, out of what is set and what is known of its provider. */
export function addressOf(set: {
  provider: ProviderName | undefined;
  endpoint: string | undefined;
  region: string | undefined;
  pathStyle: boolean;
}): Address {
  const known: Provider | undefined = set.provider && PROVIDERS[set.provider];
  const region = set.region ?? known?.region ?? 'us-east-1';
  return {
    endpoint: set.endpoint ?? known?.endpoint?.replace('{region}', region),
    region,
    pathStyle: set.pathStyle || known?.pathStyle === true,
  };
}
