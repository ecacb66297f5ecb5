import querystring from 'node:querystring'
import { createTransport } from 'nodemailer'
import { isRelayUrl, RELAY_URL_FORM } from '#config.ts'
import { OperatorError } from '#lib/errors.ts'
import { isLoopbackHost } from '#lib/public-address.ts'
import { dialogueLog, type MailTransport } from './delivery.ts'
import { type EmailMessage, FIXED_HEADERS, ONE_CLICK_HEADERS, oneLine } from './render-email.ts'

// Headers and errors of SMTP: the encoding of header values that every email client decodes, and advice for the
// administrator about a refused email.

/** The error of nodemailer for an email that was not sent. */
type RelayError = Error & { responseCode?: number; response?: string; command?: string; code?: string }

/** Returns advice for the administrator of the server about an email that the relay did not accept. */
function smtpAdvice({ code, command, message, responseCode = 0 }: RelayError): string {
  if (/certificate/i.test(message))
    return 'The certificate of the relay is not trusted. Use the host name of the certificate in SMTP_URL, or append ?tls.rejectUnauthorized=false to accept any certificate.'
  if (code === 'EAUTH' || command?.startsWith('AUTH'))
    return 'The relay refuses the user name or the password. Check both in SMTP_URL, and write characters such as @ and : in them as %40 and %3A.'
  if (code === 'EDNS')
    return 'The host name of the relay was not found. Check the host in SMTP_URL, and the name servers of this machine.'
  if (code === 'ETLS' && command === 'STARTTLS')
    return 'The relay does not offer an encrypted connection, so nothing was sent. Use smtps:// with port 465, or another relay. If the network to the relay is trusted, append ?requireTLS=false to SMTP_URL.'
  if (code === 'ETLS' || /wrong version number/i.test(message))
    return 'The encrypted connection failed. Use smtps:// with port 465, and smtp:// with port 587 or 25.'
  if (command === 'MAIL FROM' && responseCode > 0)
    return 'The relay refuses the sender. Set MAIL_FROM to an address for which it sends email, or add user:password@ to SMTP_URL.'
  if (command === 'RCPT TO' && responseCode > 0)
    return responseCode < 500
      ? 'The relay does not accept email to this address at the moment. Try again in a few minutes.'
      : 'The relay refuses the recipient. Check the address. If it is correct, the relay may require user:password@ in SMTP_URL.'
  if (command === 'DATA' && responseCode > 0)
    return 'The relay refuses the email itself. Its reply says why. Often the domain of MAIL_FROM is not allowed to send (SPF, DKIM).'
  if (responseCode > 0) return 'The relay refuses this server. Its reply says why; ask the administrator of the relay.'
  if (code === 'ETIMEDOUT')
    return 'The relay did not respond in time. Check the host and port in SMTP_URL, and whether a firewall blocks the connection; many networks block port 25.'
  return 'The connection failed. Check the host and port in SMTP_URL, and that the relay is running.'
}

/**
 * The maximum number of UTF-8 bytes in an encoded word. With its delimiters, the word may have 75 characters (RFC
 * 2047).
 */
const MAX_BYTES = 45

/**
 * Returns a header value that every email client shows as this text. If the text contains something like an encoded
 * word, such as `=?utf-8?b?aGk=?=`, all of it is encoded. Otherwise, email clients would decode that part, and a user
 * could pass for another.
 */
function toHeaderText(text: string): string {
  return text.includes('=?') ? encodeWords(text) : text
}

function encodeWords(text: string): string {
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (Buffer.byteLength(word + character) > MAX_BYTES) {
      words.push(word)
      word = ''
    }
    word += character
  }
  // The space between two encoded words does not belong to the text.
  return [...words, word].map((part) => `=?utf-8?B?${Buffer.from(part).toString('base64')}?=`).join(' ')
}

/**
 * The timeouts of a relay in seconds: to accept a connection, to send its greeting, between two packets, and for one
 * email.
 */
type SmtpTimeouts = { connect: number; greeting: number; silence: number; mail: number }

const DEFAULT_TIMEOUTS: SmtpTimeouts = { connect: 10, greeting: 15, silence: 30, mail: 120 }

/** Longer replies of relays are cut to this number of characters. */
const REPLY_LENGTH = 500

/**
 * Sends through the relay at `url`: `smtp://` (with STARTTLS) or `smtps://` (TLS from the start). A connection to
 * another machine is always encrypted, unless the URL says `requireTLS=false`. Each email uses its own connection.
 * Throws, without quoting the URL, if it is unusable.
 */
export function smtpTransport(url: string, timeouts: SmtpTimeouts = DEFAULT_TIMEOUTS): MailTransport {
  if (!isRelayUrl(url)) throw new OperatorError(`SMTP_URL ${RELAY_URL_FORM}`)
  const mask = masking(url)
  const closing = new AbortController()

  return {
    async send(message, listen = () => {}) {
      const relay = createTransport({
        ...relayOptions(url, timeouts),
        transactionLog: true,
        logger: dialogueLog(listen, mask),
      })
      try {
        // A relay that sends its replies very slowly is never silent, so the total time is limited as well.
        const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeouts.mail * 1000)])
        const { response } = await relay.sendMail({ ...toNodemailer(message), signal })
        return { outcome: 'sent', reply: toReply(mask(response)) }
      } catch (error) {
        const { outcome, reply, advice } = toDelivery(error as RelayError)
        listen(`* ${mask(reply)}`)
        return { outcome, reply: mask(reply), advice }
      }
    },
    close: () => closing.abort(),
  }
}

const relayOptions = (url: string, timeouts: SmtpTimeouts) => ({
  url,
  // Parameters of the URL take precedence.
  requireTLS: !isLoopbackHost(new URL(url).hostname),
  connectionTimeout: timeouts.connect * 1000,
  greetingTimeout: timeouts.greeting * 1000,
  socketTimeout: timeouts.silence * 1000,
  dnsTimeout: timeouts.connect * 1000,
})

/** Connects to the relay and logs in, without sending an email. Returns null, or why it failed and what to do. */
export async function verifyRelay(
  url: string,
  timeouts: SmtpTimeouts = DEFAULT_TIMEOUTS,
): Promise<{ reply: string; advice: string } | null> {
  try {
    await createTransport(relayOptions(url, timeouts)).verify()
    return null
  } catch (error) {
    const { reply, advice } = toDelivery(error as RelayError)
    return { reply: masking(url)(reply), advice }
  }
}

/** Returns a function that replaces the user name and password of the URL with asterisks wherever a relay repeats them. */
function masking(url: string): (text: string) => string {
  const { username, password } = new URL(url)
  const secrets = [username, password]
    .flatMap((part) => [part, querystring.unescape(part)])
    .filter((part) => part !== '')
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
}

function toNodemailer(message: EmailMessage) {
  const listName = message.list ? toHeaderText(message.list.name) : undefined
  return {
    envelope: { from: message.envelope.from, to: [message.envelope.to] },
    from: message.from,
    // nodemailer would parse a string as a list of addresses; it uses an object unchanged.
    to: { name: '', address: message.to },
    ...(message.replyTo !== null && { replyTo: { name: '', address: message.replyTo } }),
    subject: toHeaderText(message.subject),
    text: message.text,
    html: message.html,
    messageId: `<${message.messageId}>`,
    date: new Date(message.date * 1000),
    headers: {
      ...FIXED_HEADERS,
      ...(message.unsubscribe !== null && ONE_CLICK_HEADERS),
      // nodemailer would put encoded words into quotes, where email clients do not decode them.
      ...(listName !== message.list?.name && { 'List-ID': `${listName} <${message.list?.host}>` }),
    },
    list: {
      ...(message.list && listName === message.list.name && { id: { url: message.list.host, comment: listName } }),
      ...(message.unsubscribe && { unsubscribe: message.unsubscribe }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/**
 * Only a refusal of the recipient or the message is final. A relay that refuses the server may be reconfigured before
 * the next attempt.
 */
function toDelivery(error: RelayError) {
  const isFinal = (error.responseCode ?? 0) >= 500 && (error.command === 'RCPT TO' || error.command === 'DATA')
  return {
    outcome: isFinal ? ('refused' as const) : ('deferred' as const),
    reply: toReply(error.response || error.message),
    advice: smtpAdvice(error),
  }
}

function toReply(text: string): string {
  return oneLine(text).slice(0, REPLY_LENGTH)
}
