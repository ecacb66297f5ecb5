import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { commandLine } from '#lib/process.ts'
import { findMails } from '#mail/queries.ts'
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

// Outgoing and incoming email.

async function checkRelay({ settings, mailTo }: DoctorContext): Promise<Finding[]> {
  if (settings.SMTP_URL === '')
    return [
      warning(
        'relay',
        'there is none: invitations and links for new passwords are not sent',
        'Set SMTP_URL to your relay.',
      ),
    ]
  const { verifyRelay } = await import('#mail/smtp.ts')
  const refusal = await verifyRelay(settings.SMTP_URL)
  if (refusal !== null) return [problem('relay', refusal.reply, refusal.advice)]
  return [
    ok('relay', 'connects, and accepts the login'),
    ...(mailTo === null
      ? [skipped('sending', 'no email was sent', `\`${commandLine('doctor --mail-to you@example.com')}\` sends one.`)]
      : [await sendTest(mailTo, settings)]),
  ]
}

async function sendTest(address: string, settings: DoctorContext['settings']): Promise<Finding> {
  const { sendTestMail } = await import('../mail-commands.ts')
  const { outcome, reply, advice = '' } = await sendTestMail(address, settings)
  return outcome === 'sent'
    ? ok('sending', `the relay accepted an email from ${settings.MAIL_FROM}: ${reply}`)
    : problem('sending', reply, advice)
}

/** Domains that have no records in DNS. */
const LOCAL_DOMAIN = /^[^.]*$|\.(local|localhost|internal|lan|home|test|invalid|example|arpa)$|^[\d.]+$/

/** Names under which services for email often publish their keys. */
const SELECTORS = [
  'default',
  'mail',
  'dkim',
  'google',
  'selector1',
  's1',
  'k1',
  'smtp',
  'mx',
  'pm',
  'resend',
  'mandrill',
]

async function checkRecords({ settings, resolver }: DoctorContext): Promise<Finding[]> {
  const domain = settings.MAIL_FROM.split('@')[1] ?? ''
  if (settings.SMTP_URL === '') return []
  if (LOCAL_DOMAIN.test(domain))
    return [skipped('SPF, DKIM and DMARC', `${domain}, the domain of MAIL_FROM, has no records in DNS`)]
  const own = await lookUp(resolver.texts(domain))
  if (own === null) return [skipped('SPF, DKIM and DMARC', 'the name servers of this machine do not answer')]
  const texts = async (name: string) => (await lookUp(resolver.texts(name))) ?? []
  const [dmarc, mailServers, keys] = await Promise.all([
    texts(`_dmarc.${domain}`),
    lookUp(resolver.mailServers(domain)),
    Promise.all(SELECTORS.map((selector) => texts(`${selector}._domainkey.${domain}`))),
  ])
  const hasKey = keys.flat().some((text) => /\bp=/.test(text))
  const spfRecords = own.filter((text) => /^v=spf1\b/.test(text))
  return [
    spfRecords.length === 1
      ? ok('SPF', spfRecords[0] ?? '')
      : warning(
          'SPF',
          spfRecords.length === 0
            ? `${domain} has no SPF record: many servers take the emails for spam`
            : `${domain} has ${spfRecords.length} SPF records, which is an error`,
          `One TXT record of ${domain} such as "v=spf1 include:… -all"; the operator of the relay knows what it must include.`,
        ),
    hasKey
      ? ok('DKIM', 'a key is published')
      : skipped(
          'DKIM',
          `no key under the usual names of ${domain}`,
          'Let the relay sign the emails of this domain, and publish its key.',
        ),
    dmarc.some((text) => /^v=DMARC1\b/i.test(text))
      ? ok('DMARC', dmarc.join(' '))
      : warning(
          'DMARC',
          `${domain} has no DMARC record`,
          `A TXT record of _dmarc.${domain}: "v=DMARC1; p=none; rua=mailto:postmaster@${domain}"`,
        ),
    mailServers === null || mailServers.length > 0
      ? ok('MX', mailServers?.slice(0, 3).join(', ') ?? 'not looked up')
      : warning(
          'MX',
          `${domain}, the domain of MAIL_FROM, receives no email: bounces get lost, and some servers refuse its emails`,
          `Add an MX record of ${domain}, or set MAIL_FROM to a domain that receives email.`,
        ),
  ]
}

async function checkIncoming({ settings, resolver, clock }: DoctorContext): Promise<Finding[]> {
  if (settings.MAIL_IN_PORT === 0) return []
  const host = ['0.0.0.0', '::', '*'].includes(settings.MAIL_IN_LISTEN_HOST)
    ? 'localhost'
    : settings.MAIL_IN_LISTEN_HOST
  const greeting = await greet(host, settings.MAIL_IN_PORT).catch((error: unknown) => reasonOf(error))
  const findings = [
    /^220 /.test(greeting)
      ? ok('incoming email', `port ${settings.MAIL_IN_PORT} answers`)
      : problem(
          'incoming email',
          `port ${settings.MAIL_IN_PORT} does not answer: ${greeting}`,
          'Start the server, or check MAIL_IN_PORT and MAIL_IN_LISTEN_HOST.',
        ),
  ]
  const domain = settings.MAIL_IN_DOMAIN
  if (!LOCAL_DOMAIN.test(domain)) {
    const servers = await lookUp(resolver.mailServers(domain))
    const addresses = servers === null || servers.length > 0 ? [] : ((await lookUp(resolver.addresses(domain))) ?? [])
    findings.push(
      servers === null
        ? skipped('MX of MAIL_IN_DOMAIN', 'the name servers of this machine do not answer')
        : servers.length > 0 || addresses.length > 0
          ? ok(
              'MX of MAIL_IN_DOMAIN',
              servers.length > 0 ? servers.join(', ') : `none; the address of ${domain} counts`,
            )
          : problem(
              'MX of MAIL_IN_DOMAIN',
              `${domain} has none`,
              `Add an MX record of ${domain} with the host name of this server.`,
            ),
    )
  }
  if (settings.MAIL_IN_TLS_CERT !== '')
    findings.push(examineFiles(settings.MAIL_IN_TLS_CERT, settings.MAIL_IN_TLS_KEY, clock.now()))
  return findings
}

/** Returns the first line of an SMTP server. */
function greet(host: string, port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect({ host, port, timeout: 5000 })
  socket.once('data', (data) => resolve(String(data).split('\r\n')[0] ?? ''))
  socket.once('timeout', () => reject(new Error('no greeting within 5 seconds')))
  socket.once('error', reject)
  socket.once('end', () => reject(new Error('the connection was closed')))
  return promise.finally(() => socket.destroy())
}

function examineFiles(certFile: string, keyFile: string, now: number): Finding {
  const name = 'certificate for incoming email'
  try {
    const certificate = new X509Certificate(readFileSync(certFile))
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile))))
      return problem(name, 'MAIL_IN_TLS_KEY is not the key of MAIL_IN_TLS_CERT', 'Name files that belong together.')
    const left = Date.parse(certificate.validTo) / 1000 - now
    return left < 7 * 86_400
      ? problem(name, left < 0 ? 'expired' : `valid for ${formatSpan(left)}`, 'Renew it, and restart the server.')
      : ok(name, `valid for ${formatSpan(left)}`)
  } catch (error) {
    return problem(name, reasonOf(error), 'Name a certificate and its key in PEM format.')
  }
}

/** The seconds for which an email may wait for a relay. */
const LONG = 3600

async function checkOutbox({ settings, database, clock }: DoctorContext): Promise<Finding[]> {
  if (database.value === null || !database.value.isUsable) return []
  const { db } = database.value
  const [deferred, failed] = await Promise.all([
    findMails(db, { state: 'deferred' }),
    findMails(db, { state: 'failed' }),
  ])
  const stuck = deferred.filter(({ createdAt }) => clock.now() - createdAt > LONG)
  const recent = failed.filter(({ createdAt }) => clock.now() - createdAt < 7 * 86_400)
  const many = (count: number) => (count >= 100 ? '100 or more emails' : `${count} email${count === 1 ? '' : 's'}`)
  const findings: Finding[] = []
  if (stuck.length > 0)
    findings.push(
      problem(
        'outbox',
        `${many(stuck.length)} could not be sent for more than an hour; the relay says: ${stuck[0]?.reply}`,
        `${commandLine('mail test you@example.com')} says what is wrong.`,
      ),
    )
  if (recent.length > 0)
    findings.push(
      warning(
        'failed emails',
        `${many(recent.length)} failed in the last seven days`,
        `${commandLine('mail list --state failed')} lists them, and \`mail retry ID\` sends one again.`,
      ),
    )
  if (findings.length === 0 && settings.SMTP_URL !== '') findings.push(ok('outbox', 'no email is stuck'))
  return findings
}

export const mailChecks: CheckGroup = {
  title: 'Email',
  checks: [
    { name: 'relay', run: checkRelay, seconds: 20 },
    { name: 'SPF', run: checkRecords },
    { name: 'incoming email', run: checkIncoming },
    { name: 'outbox', run: checkOutbox },
  ],
}
