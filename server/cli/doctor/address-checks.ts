import { isIP } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { listOf, servesHttps } from '#config.ts'
import { isLoopbackHost, isPublicAddress, parseNetwork } from '#lib/public-address.ts'
import { ask, askProbe, type ProbeReply, type Reply } from './ask.ts'
import {
  type CheckGroup,
  type DoctorContext,
  type Finding,
  formatSpan,
  lookUp,
  ok,
  problem,
  reasonOf,
  skipped,
  warning,
} from './check.ts'

// The way from the clients to the server: DNS, certificates, and the proxy. The probe page says how requests arrive.

const PROXY_RECIPES = 'docs/https.md has configurations that work.'

const isHttps = ({ settings }: DoctorContext) => settings.EXTERNAL_URL.startsWith('https:')

/** Returns why the address cannot be checked, or null. */
function reasonToSkip({ settings, server, secret }: DoctorContext): string | null {
  if (secret.value === null) return secret.reason
  if (server.value === null) return 'the server does not run'
  return isLoopbackHost(new URL(settings.EXTERNAL_URL).hostname)
    ? `EXTERNAL_URL is ${settings.EXTERNAL_URL}, which only this machine can reach`
    : null
}

function checkExternalUrl({ settings, server }: DoctorContext): Finding[] {
  const host = server.value?.other_host ?? null
  return host === null
    ? []
    : [
        problem(
          'EXTERNAL_URL',
          `${settings.EXTERNAL_URL} is for this machine only, and someone signs in at ${host}: links in emails do not lead there`,
          `Set EXTERNAL_URL to the address that users type, such as https://${host}, and restart the server.`,
        ),
      ]
}

async function checkDns(context: DoctorContext): Promise<Finding[]> {
  const { hostname } = new URL(context.settings.EXTERNAL_URL)
  if (isLoopbackHost(hostname) || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    return [skipped('DNS', `${hostname} is no public name`)]
  const findings: Finding[] = []
  const addresses = await lookUp(context.resolver.addresses(hostname))
  if (addresses === null)
    return [problem('DNS', 'the name servers of this machine do not answer', 'Check /etc/resolv.conf and the network.')]
  if (addresses.length === 0)
    return [
      problem(
        'DNS',
        `${hostname} has no address`,
        `Add an A record (and AAAA for IPv6) of ${hostname} with the address of the proxy or this server.`,
      ),
    ]
  findings.push(
    addresses.every((address) => !isPublicAddress(address))
      ? warning(
          'DNS',
          `${hostname} is ${addresses.join(', ')}, which can only be reached in your network`,
          'Ignore this if nobody connects from elsewhere.',
        )
      : ok('DNS', `${hostname} is ${addresses.join(', ')}`),
  )
  const missing: string[] = []
  for (const host of context.hosts) if ((await findAddresses(context, host)).length === 0) missing.push(host)
  if (missing.length > 0)
    findings.push(
      problem(
        'DNS of organizations',
        `${missing.slice(0, 5).join(', ')} ${missing.length === 1 ? 'has' : 'have'} no address`,
        `Add a wildcard record: *.${hostname}`,
      ),
    )
  else if (context.hosts.length > 0)
    findings.push(ok('DNS of organizations', `${context.hosts.length} hosts have addresses`))
  return findings
}

const findAddresses = async ({ resolver }: DoctorContext, host: string) =>
  (await lookUp(resolver.addresses(host))) ?? []

/** Returns the address to connect to for a host, as DNS says, for all requests alike. */
async function addressFor(context: DoctorContext, host: string): Promise<{ address?: string }> {
  const [address] = isIP(host.replace(/^\[|\]$/g, '')) === 0 ? await findAddresses(context, host) : []
  return address === undefined ? {} : { address }
}

/** Sends a request for the probe page to EXTERNAL_URL. */
async function askThere(context: DoctorContext, options: Parameters<typeof askProbe>[2] = {}): Promise<ProbeReply> {
  const url = context.settings.EXTERNAL_URL
  return askProbe(context, url, { ...(await addressFor(context, new URL(url).hostname)), ...options })
}

/** The number of addresses and hosts that are tried. */
const MAX_TRIED = 6

async function checkReach(context: DoctorContext): Promise<Finding[]> {
  const reason = reasonToSkip(context)
  if (reason !== null) return [skipped('reach', reason)]
  const { settings, server } = context
  const url = settings.EXTERNAL_URL
  const { hostname } = new URL(url)
  const addresses = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? await findAddresses(context, hostname) : []
  const tried: (string | undefined)[] = addresses.length === 0 ? [undefined] : addresses.slice(0, MAX_TRIED)
  const findings = await Promise.all(
    tried.map(async (address): Promise<Finding> => {
      const name = address === undefined || tried.length === 1 ? 'reach' : `reach over ${address}`
      try {
        const reply = await askProbe(context, url, address === undefined ? {} : { address })
        if (reply.server === null) return explainOther(name, url, reply)
        return reply.server.instance === server.value?.instance
          ? ok(name, `${url} leads to this server`)
          : settings.SEVERAL_NODES
            ? ok(name, `${url} leads to another node (process ${reply.server.pid})`)
            : problem(
                name,
                `${url} leads to another server with the same secret (process ${reply.server.pid})`,
                'Stop the other server, or point the proxy and DNS to this one.',
              )
      } catch (error) {
        return problem(
          name,
          `${url} cannot be reached: ${reasonOf(error)}`,
          `Check that the proxy runs, that a firewall lets it be reached, and that DNS has the right addresses${address?.includes(':') ? ' (remove the AAAA record without IPv6)' : ''}. If only this machine cannot reach its own public address, ignore this.`,
        )
      }
    }),
  )
  return findings
}

/** Explains the response of something that is not the server, or that changes requests. */
function explainOther(name: string, url: string, { status, headers }: Reply): Finding {
  const by = headers.server === undefined ? '' : ` (${headers.server})`
  if ([301, 302, 307, 308].includes(status))
    return problem(
      name,
      `${url} redirects to ${headers.location}`,
      `Set EXTERNAL_URL to the address that users type, without a redirect. ${PROXY_RECIPES}`,
    )
  if ([502, 503, 504].includes(status))
    return problem(
      name,
      `the proxy${by} cannot reach the server: it responds ${status}`,
      'Let it pass requests to LISTEN_HOST and PORT of this server.',
    )
  return problem(
    name,
    `something else answers at ${url}${by}, or the proxy drops headers: it responds ${status}`,
    `Point DNS and the proxy to this server. ${PROXY_RECIPES}`,
  )
}

/** Days before the end of a certificate at which it should have been renewed. */
const [SOON, LATE] = [21, 7]

async function checkCertificate(context: DoctorContext): Promise<Finding[]> {
  if (!isHttps(context)) return []
  const { hostname } = new URL(context.settings.EXTERNAL_URL)
  const hosts = [hostname, ...context.hosts].slice(0, MAX_TRIED)
  return Promise.all(
    hosts.map(async (host) => {
      const url = new URL(context.settings.EXTERNAL_URL)
      url.hostname = host
      const name = host === hostname ? 'certificate' : `certificate of ${host}`
      const there = await addressFor(context, host)
      try {
        return examine(name, host, await ask(`${url.origin}/health/live`, there), context.clock.now())
      } catch (error) {
        return problem(
          name,
          `no https connection to ${host}: ${reasonOf(error)}`,
          'Offer TLS 1.2 and 1.3 at port 443, with a certificate that browsers trust.',
        )
      }
    }),
  )
}

/** Advice for the reasons for which certificates are not trusted. */
const DISTRUST: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'Renew it.',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'Get one from a certificate authority, such as Let’s Encrypt. If it is meant, set NODE_EXTRA_CA_CERTS for this command to its file, and install it on all devices.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'If the authority is your own, set NODE_EXTRA_CA_CERTS for this command, and install it on all devices.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'Serve the whole chain: the certificate followed by the intermediate ones (fullchain.pem).',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'Serve the whole chain: the certificate followed by the intermediate ones (fullchain.pem).',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Get a certificate with this name, or a wildcard for the subdomains of organizations.',
}

function examine(name: string, host: string, { certificate, distrust }: Reply, now: number): Finding {
  if (certificate === null || certificate.valid_to === undefined) return skipped(name, 'the server shows none')
  const left = (Date.parse(certificate.valid_to) / 1000 - now) / 86_400
  if (distrust !== null) {
    const code = /altname|does not match/i.test(distrust) ? 'ERR_TLS_CERT_ALTNAME_INVALID' : distrust
    return problem(name, `not trusted for ${host}: ${code}`, DISTRUST[code] ?? 'Use a certificate that browsers trust.')
  }
  const found = left < 0 ? 'expired' : `valid for ${formatSpan(left * 86_400)}`
  if (left < LATE) return problem(name, found, 'Renew it, and look at why it was not renewed automatically.')
  return left < SOON
    ? warning(name, found, 'Look at why it was not renewed: certificates are renewed 30 days before their end.')
    : ok(name, found)
}

async function checkHttp(context: DoctorContext): Promise<Finding[]> {
  if (!isHttps(context)) return []
  const { hostname } = new URL(context.settings.EXTERNAL_URL)
  const there = await addressFor(context, hostname)
  const plain = (path: string) => ask(`http://${hostname}${path}`, there)
  const findings: Finding[] = []
  const secure = await ask(`${context.settings.EXTERNAL_URL}/login/`, {
    ...there,
    headers: { 'accept-encoding': 'gzip' },
  }).catch(() => null)
  if (secure !== null && reasonToSkip(context) === null) {
    findings.push(
      secure.headers['strict-transport-security'] === undefined
        ? warning(
            'HSTS',
            'the header Strict-Transport-Security does not arrive',
            'Let the proxy pass the headers of responses on.',
          )
        : ok('HSTS', secure.headers['strict-transport-security']),
      checkCompression(secure),
    )
  }
  const page = await plain('/').catch(() => null)
  if (page === null) return [...findings, ok('http', 'port 80 is closed')]
  const isRedirect = page.status >= 301 && page.status <= 308 && /^https:/.test(page.headers.location ?? '')
  const api = await plain('/api/v1/server_settings').catch(() => null)
  findings.push(
    isRedirect
      ? ok('http', 'pages are redirected to https')
      : problem(
          'http',
          `http://${hostname}/ responds ${page.status} instead of a redirect to https`,
          `Redirect pages from http to https. ${PROXY_RECIPES}`,
        ),
  )
  if (api !== null)
    findings.push(
      api.status === 200
        ? problem(
            'API over http',
            'answers without encryption: keys can be intercepted',
            `Refuse /api/ and /json/ over http. ${PROXY_RECIPES}`,
          )
        : api.status >= 301 && api.status <= 308
          ? warning(
              'API over http',
              'is redirected, so that clients send keys unencrypted without noticing',
              `Refuse /api/ and /json/ over http instead, for example with 403. ${PROXY_RECIPES}`,
            )
          : ok('API over http', `is refused (${api.status})`),
    )
  return findings
}

function checkCompression({ headers, body }: Reply): Finding {
  const encoding = headers['content-encoding'] ?? 'none'
  const isTwice = encoding.includes(',') || (encoding === 'gzip' && isGzip(unpacked(body)))
  return isTwice
    ? problem(
        'compression',
        'pages are compressed twice',
        'Turn compression off in one of the proxies: the server compresses by itself.',
      )
    : ok('compression', encoding)
}

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b

function unpacked(body: Buffer): Buffer {
  try {
    return gunzipSync(body, { maxOutputLength: 16 * 1024 * 1024 })
  } catch {
    return body
  }
}

/** An address that no machine has (RFC 5737), which a client claims in headers. */
const FORGED = '192.0.2.66'

async function checkProxy(context: DoctorContext): Promise<Finding[]> {
  const reason = reasonToSkip(context)
  if (reason !== null) return [skipped('proxy', reason)]
  const { settings } = context
  const url = settings.EXTERNAL_URL
  const [plain, forged] = await Promise.all([
    askThere(context),
    askThere(context, { headers: { 'x-real-ip': FORGED, 'x-forwarded-for': FORGED, forwarded: `for=${FORGED}` } }),
  ])
  if (plain.server === null || forged.server === null)
    return [skipped('proxy', 'the address does not lead to the server')]
  const { host } = new URL(url)
  const { remote_address: seen, peer_address: peer, forwarding } = plain.server
  const findings: Finding[] = [
    plain.server.host === host
      ? ok('Host header', `arrives as ${host}`)
      : problem(
          'Host header',
          `arrives as ${plain.server.host || 'nothing'} instead of ${host}: organizations at subdomains are not found`,
          `Pass it on: proxy_set_header Host $host; in nginx. ${PROXY_RECIPES}`,
        ),
  ]
  const isBehindProxy = Object.keys(forwarding).length > 0 || (isLoopbackHost(peer) && !servesHttps(settings))
  // A command on the machine of the proxy has the same address as the proxy.
  const isTrusted = listOf(settings.TRUSTED_PROXIES).some((network) => parseNetwork(network)?.has(peer))
  const isNamed = settings.TRUST_X_REAL_IP
    ? forwarding['x-real-ip'] !== undefined
    : seen !== peer || (isTrusted && forwarding['x-forwarded-for'] !== undefined)
  if (forged.server.remote_address === FORGED)
    findings.push(
      problem(
        'client address',
        'clients can claim any address: their own header with an address reaches the server',
        `Let the proxy replace the header: proxy_set_header X-Real-IP $remote_addr; in nginx. ${PROXY_RECIPES}`,
      ),
    )
  else if (isNamed) findings.push(ok('client address', `arrives as ${seen}; claims of clients do not count`))
  else if (settings.TRUST_X_REAL_IP)
    findings.push(
      problem(
        'client address',
        'the proxy sends no X-Real-IP, so all users share one address and its limits',
        `proxy_set_header X-Real-IP $remote_addr; in nginx. ${PROXY_RECIPES}`,
      ),
    )
  else if (isBehindProxy)
    findings.push(
      warning(
        'client address',
        `all users have the address of the proxy, ${peer}, and share its limits`,
        `Set TRUSTED_PROXIES=${peer} if the proxy sets X-Forwarded-For, or TRUST_X_REAL_IP=true if it sets X-Real-IP and the server cannot be reached except through it.`,
      ),
    )
  else findings.push(ok('client address', `${seen}, without a proxy`))
  const proto = forwarding['x-forwarded-proto']
  if (proto !== undefined && isHttps(context) && proto !== 'https')
    findings.push(
      warning(
        'X-Forwarded-Proto',
        `is ${proto}, although EXTERNAL_URL has https`,
        'Set it to the scheme of the client, or do not send it.',
      ),
    )
  return findings
}

async function checkBypass(context: DoctorContext): Promise<Finding[]> {
  const { settings } = context
  if (!settings.TRUST_X_REAL_IP || reasonToSkip(context) !== null) return []
  const { hostname, port } = new URL(settings.EXTERNAL_URL)
  const [address] = await findAddresses(context, hostname)
  if (address === undefined || Number(port || 443) === settings.PORT || settings.TRUSTED_PROXIES !== '') return []
  const direct = await askProbe(context, `http://${hostname}:${settings.PORT}`, { address, seconds: 3 }).catch(
    () => null,
  )
  return [
    direct?.server
      ? problem(
          'direct connections',
          `the server answers at ${address}, port ${settings.PORT}, without the proxy: with TRUST_X_REAL_IP, clients can claim any address there`,
          'Set LISTEN_HOST=localhost, or let a firewall admit only the proxy to that port.',
        )
      : ok('direct connections', 'only the proxy reaches the server'),
  ]
}

/** Seconds for which a delayed response is awaited, quickly and with --slow. Polls for events last 50 seconds. */
const [SHORT_WAIT, LONG_WAIT] = [2, 55]

/** Seconds by which a proxy may delay a response. */
const MAX_DELAY = 1.5

async function checkPolls(context: DoctorContext): Promise<Finding[]> {
  const reason = reasonToSkip(context)
  if (reason !== null) return [skipped('long polls', reason)]
  const after = context.isSlow ? LONG_WAIT : SHORT_WAIT
  const reply = await askThere(context, { after, seconds: after + 8 }).catch((error: unknown) => reasonOf(error))
  const fix = `Raise the time-out of the proxy for responses to 75 seconds: proxy_read_timeout 75s; in nginx. ${PROXY_RECIPES}`
  if (typeof reply === 'string')
    return [problem('long polls', `a response after ${after} seconds does not arrive: ${reply}`, fix)]
  if (reply.server === null)
    return [problem('long polls', `the proxy ends requests that wait for ${after} seconds, with ${reply.status}`, fix)]
  const delay = context.clock.now() - reply.server.time
  if (delay > MAX_DELAY && delay < 60)
    return [
      problem(
        'long polls',
        `responses arrive ${delay.toFixed(1)} seconds late`,
        'Turn off buffering in the proxy: proxy_buffering off; in nginx.',
      ),
    ]
  return [
    context.isSlow
      ? ok('long polls', `a response after ${after} seconds arrives at once`)
      : ok('long polls', `a response after ${after} seconds arrives at once; \`--slow\` waits as long as a client`),
  ]
}

/** Bytes of a multipart body besides the file. */
const MARGIN = 1024

async function checkUploads(context: DoctorContext): Promise<Finding[]> {
  const reason = reasonToSkip(context)
  if (reason !== null) return [skipped('uploads', reason)]
  const size = context.settings.MAX_FILE_UPLOAD_SIZE_MIB
  const upload = size * 1024 * 1024 + MARGIN
  const url = `${context.settings.EXTERNAL_URL}/api/v1/user_uploads`
  // The server refuses a body without credentials before it has read it.
  const there = await addressFor(context, new URL(url).hostname)
  const reply: Reply | string = await ask(url, {
    ...there,
    method: 'POST',
    upload,
    seconds: context.isSlow ? 60 : 10,
  }).catch((error: unknown) => reasonOf(error))
  if (typeof reply === 'string')
    return [
      skipped(
        'uploads',
        `a body of ${size} MiB could not be sent: ${reply}`,
        'Repeat the command with --slow on a slow connection.',
      ),
    ]
  if (reply.status === 413)
    return [
      problem(
        'uploads',
        `the proxy refuses files of ${size} MiB (413)`,
        `Raise its limit: client_max_body_size ${size + 5}m; in nginx. Or lower MAX_FILE_UPLOAD_SIZE_MIB.`,
      ),
    ]
  return reply.status === 401 || reply.status === 429
    ? [ok('uploads', `files of ${size} MiB pass`)]
    : [warning('uploads', `a body of ${size} MiB gets the response ${reply.status}`, PROXY_RECIPES)]
}

async function checkHosts(context: DoctorContext): Promise<Finding[]> {
  if (reasonToSkip(context) !== null) return []
  const results = await Promise.all(
    context.hosts.slice(0, MAX_TRIED).map(async (host): Promise<string | null> => {
      const url = new URL(context.settings.EXTERNAL_URL)
      url.hostname = host
      const there = await addressFor(context, host)
      const reply: ProbeReply | null = await askProbe(context, url.origin, there).catch(() => null)
      return reply?.server?.host === url.host ? null : host
    }),
  )
  const failed = results.filter((host) => host !== null)
  if (context.hosts.length === 0) return []
  return [
    failed.length === 0
      ? ok('hosts of organizations', 'lead to the server')
      : problem(
          'hosts of organizations',
          `${failed.join(', ')} ${failed.length === 1 ? 'does' : 'do'} not lead to the server`,
          `Let DNS and the proxy pass on *.${new URL(context.settings.EXTERNAL_URL).hostname}.`,
        ),
  ]
}

export const addressChecks: CheckGroup = {
  title: 'Address',
  checks: [
    { name: 'EXTERNAL_URL', run: checkExternalUrl },
    { name: 'DNS', run: checkDns },
    { name: 'reach', run: checkReach },
    { name: 'certificate', run: checkCertificate },
    { name: 'http', seconds: 25, run: checkHttp },
    { name: 'proxy', run: checkProxy },
    { name: 'direct connections', run: checkBypass },
    { name: 'long polls', seconds: 70, run: checkPolls },
    { name: 'uploads', seconds: 65, run: checkUploads },
    { name: 'hosts of organizations', run: checkHosts },
  ],
}
