import type { SecureContext } from 'node:tls'
import type { Settings } from '#config.ts'
import type { ServedCertificates } from '#http/server.ts'
import type { Clock } from '#lib/clock.ts'
import type { Job } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import type { Random } from '#lib/secrets.ts'
import { findRealms } from '#realms/queries.ts'
import { realmAddress, SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import { type Hosts, openRenewal } from './acme/renewal.ts'
import { openOwnCertificate } from './own-certificate.ts'
import { type Pair, ServedPairs } from './pairs.ts'

// The certificates with which the server itself speaks https: those of HTTPS_CERT, or those that a certificate authority
// issues (HTTPS=auto). A certificate stays in use until a usable one replaces it, whatever happens in between. Only the
// hosts of organizations that exist get certificates, so a visitor who connects or sends a Host header causes no order.
// Keys are in files that only the account of the server can read.

export type Certificates = ServedCertificates & {
  /** Gets, renews or reloads the certificates. */
  readonly job: Job
  /** Lets the job start, once the ports are open. */
  begin(): void
  /** Returns whether the server has a certificate that browsers accept for a host name. */
  has(host: string): boolean
  /** Returns the answer to the question of the authority about a host; null if it has not asked it. */
  findChallenge(host: string, token: string): string | null
  /** Returns the certificate and key for a host; null if there is none. */
  findPair(host: string): Pair | null
  /** Calls `use` after each change of the certificates. */
  onChange(use: () => void): void
}

/** `db` finds the organizations. */
export type CertificateOptions = { settings: Settings; clock: Clock; log: Log; random: Random; db: Db }

/**
 * Opens the certificates of a server that speaks https. Throws an `OperatorError` if those of the operator cannot be
 * used.
 */
export async function openCertificates(options: CertificateOptions): Promise<Certificates> {
  const { settings, db } = options
  const isAuto = settings.HTTPS === 'auto'
  const pairs = new ServedPairs(isAuto ? hostOf(settings) : null)
  const renewal = isAuto
    ? await openRenewal({ ...options, pairs, findHosts: () => findHosts(settings, db) })
    : { ...openOwnCertificate({ ...options, pairs }), findChallenge: () => null }
  return {
    job: renewal.job,
    begin: renewal.begin,
    findChallenge: renewal.findChallenge,
    has: (host) => pairs.find(host)?.isFor(host) ?? false,
    findContext: (host): SecureContext | null => pairs.find(host)?.context() ?? null,
    findPair: (host) => pairs.find(host)?.pair ?? null,
    onChange: (use) => pairs.onChange(use),
    onDefault(serve) {
      const update = () => {
        const pair = pairs.find(hostOf(settings))?.pair
        if (pair !== undefined) serve(pair)
      }
      update()
      pairs.onChange(update)
    },
  }
}

const hostOf = ({ EXTERNAL_URL }: Settings) => new URL(EXTERNAL_URL).hostname

async function findHosts(settings: Settings, db: Db): Promise<Hosts> {
  const named = new Set([hostOf(settings), ...Object.keys(settings.REALM_HOSTS).map((host) => host.toLowerCase())])
  const realms = await findRealms(db)
  const ofOrganizations = realms
    .filter(({ deactivatedAt, subdomain }) => deactivatedAt === null && subdomain !== SYSTEM_SUBDOMAIN)
    .map(({ subdomain }) => realmAddress(subdomain, settings.EXTERNAL_URL).hostName)
    .filter((host) => !named.has(host))
  return { named: [...named], ofOrganizations }
}
