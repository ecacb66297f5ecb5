import querystring from 'node:querystring'
import { createTransport } from 'nodemailer'
import { OperatorError } from '#lib/errors/operator-error.ts'
import { isLoopbackHost } from '#lib/net/public-address.ts'
import { dialogueLog } from './dialogue.ts'
import { type EmailMessage, FIXED_HEADERS, ONE_CLICK_HEADERS } from './email-message.ts'
import { toHeaderText } from './encoded-words.ts'
import { oneLine } from './one-line.ts'
import { type RelayError, smtpAdvice } from './smtp-advice.ts'
import type { MailTransport } from './transport.ts'

/**
 * The timeouts of a relay in seconds: to accept a connection, to send its greeting, between two packets, and for one
 * email.
 */
type SmtpTimeouts = { connect: number; greeting: number; silence: number; mail: number }

const DEFAULT_TIMEOUTS: SmtpTimeouts = { connect: 10, greeting: 15, silence: 30, mail: 120 }

/** Longer replies of relays are cut to this number of characters. */
const REPLY_LENGTH = 500

export const RELAY_URL_FORM = 'SMTP_URL must be like smtp://user:password@host:587 or smtps://user:password@host'

export function isRelayUrl(url: string): boolean {
  return URL.canParse(url) && /^smtps?:$/.test(new URL(url).protocol) && new URL(url).hostname !== ''
}

/**
 * Sends through the relay at `url`: `smtp://` (with STARTTLS) or `smtps://` (TLS from the start). A connection to
 * another machine is always encrypted, unless the URL says `requireTLS=false`. Each email uses its own connection.
 * Throws, without quoting the URL, if it is unusable.
 */
export function smtpTransport(url: string, timeouts: SmtpTimeouts = DEFAULT_TIMEOUTS): MailTransport {
  if (!isRelayUrl(url)) throw new OperatorError(RELAY_URL_FORM)
  const mask = masking(url)
  const closing = new AbortController()

  return {
    async send(message, listen = () => {}) {
      const relay = createTransport({
        url,
        // Parameters of the URL take precedence.
        requireTLS: !isLoopbackHost(new URL(url).hostname),
        connectionTimeout: timeouts.connect * 1000,
        greetingTimeout: timeouts.greeting * 1000,
        socketTimeout: timeouts.silence * 1000,
        dnsTimeout: timeouts.connect * 1000,
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
