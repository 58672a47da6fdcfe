import type { ChannelCredentials } from '@grpc/grpc-js';

export interface EmulatorAddress {
  readonly servicePath: string;
  readonly port: number;
  readonly sslCreds: ChannelCredentials;
}

/** The options by which Google's generated clients talk to an emulator: no TLS, no credentials. */
export async function emulatorAddress(host: string): Promise<EmulatorAddress> {
  const { credentials } = await import('./clients/grpc.ts');
  // Else the clients look for a metadata server, for seconds, before the first call.
  process.env['METADATA_SERVER_DETECTION'] ??= 'none';
  const at = host.lastIndexOf(':');
  return { servicePath: host.slice(0, at), port: Number(host.slice(at + 1)), sslCreds: credentials.createInsecure() };
}
