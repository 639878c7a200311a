// Addresses and defaults of known stores, so that fewer settings are needed. A setting always has precedence.

interface Provider {
  title: string;
  /** Address of the store; `{region}` stands for S3_REGION. If absent, S3_ENDPOINT has to be set, except for AWS. */
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
  /** Undefined for the AWS endpoint of the region. */
  endpoint: string | undefined;
  region: string;
  pathStyle: boolean;
}

/** Returns the address and URL style of the store, from the settings and the defaults of its provider. */
export function addressOf(settings: {
  provider: ProviderName | undefined;
  endpoint: string | undefined;
  region: string | undefined;
  pathStyle: boolean;
}): Address {
  const provider: Provider | undefined = settings.provider && PROVIDERS[settings.provider];
  const region = settings.region ?? provider?.region ?? 'us-east-1';
  return {
    endpoint: settings.endpoint ?? provider?.endpoint?.replace('{region}', region),
    region,
    pathStyle: settings.pathStyle || provider?.pathStyle === true,
  };
}
