import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { equalSecrets } from '#lib/secrets.ts'
import { ignore, integration, on, parse, readJson } from '../integration.ts'
import { code, enumerate, md } from '../markdown.ts'
import type { VerifySignature } from '../signatures.ts'

const text = z.string().nullish()

const signature = z.object({ signer_name: text, signer_email_address: text, status_code: text })

const delivery = z.object({
  event: z.object({ event_type: z.string(), event_time: text, event_hash: text }).nullish(),
  signature_request: z.object({ title: text, signatures: z.array(signature).nullish() }).nullish(),
})

/** Events about the whole document, as what happened to it. */
const EVENTS = new Map<string, string>(
  Object.entries({
    signature_request_all_signed: 'was signed by all',
    signature_request_canceled: 'was canceled',
    signature_request_expired: 'expired',
    signature_request_invalid: 'could not be sent',
    signature_request_email_bounce: 'did not reach a signer by email',
    signature_request_reassigned: 'was passed on to another signer',
    signature_request_remind: 'is still waiting: the signers got a reminder',
    signature_request_prepared: 'is prepared',
    signature_request_downloadable: 'can be downloaded',
  }),
)

/** The states of signatures, as words about the document. */
const STATES = new Map<string, string>(
  Object.entries({
    awaiting_signature: 'awaits the signature of',
    signed: 'was signed by',
    declined: 'was declined by',
    error_invalid_email: 'could not be sent to',
    expired: 'expired before it was signed by',
  }),
)

const handler = on(delivery, ({ event, signature_request: request }) => {
  const type = event?.event_type ?? 'signature_request_sent'
  if (!request) return null
  const title = request.title || 'A document'
  const done = EVENTS.get(type)
  if (done) return { event: type, topic: title, content: md`The document ${code(title)} ${done}.` }
  const byState = Map.groupBy(request.signatures ?? [], ({ status_code: status }) => status ?? 'awaiting_signature')
  const states = [...byState].map(
    ([status, signers]) =>
      md`${STATES.get(status) ?? `is ${status.replaceAll('_', ' ')} for`} ${enumerate(signers.slice(0, 50).map((one) => one.signer_name ?? one.signer_email_address ?? 'someone'))}`,
  )
  const what = states.length === 0 ? md`was sent` : enumerate(states)
  return { event: type, topic: title, content: md`The document ${code(title)} ${what}.` }
})

const NAMES = [
  ...['signature_request_sent', 'signature_request_viewed', 'signature_request_signed', 'signature_request_declined'],
  ...[...EVENTS.keys()],
]

/** Reads the field `json` of a form, or JSON. */
const readHelloSign = (body: ReadonlyMap<string, string>, rawBody: Buffer) =>
  readJson(body.get('json') ?? rawBody.toString('utf8'))

/** Checks the hash of the time and the type of the event. The body is not signed. */
const eventHash: VerifySignature = ({ rawBody, secret }) => {
  const [, hash = ''] = /\\?"event_hash\\?"\s*:\s*\\?"([0-9a-f]{64})/.exec(rawBody.toString('utf8')) ?? []
  const [, time = ''] = /\\?"event_time\\?"\s*:\s*\\?"(\d{1,20})/.exec(rawBody.toString('utf8')) ?? []
  const [, type = ''] = /\\?"event_type\\?"\s*:\s*\\?"(\w{1,100})/.exec(rawBody.toString('utf8')) ?? []
  return equalSecrets(
    hash,
    createHmac('sha256', secret)
      .update(time + type)
      .digest('hex'),
  )
}

export const hellosign = integration({
  name: 'hellosign',
  title: 'Dropbox Sign (HelloSign)',
  category: 'Productivity',
  summary: 'Signatures of documents',
  logo: { letter: 'H', color: '#0061ff' },
  steps: [
    'In Dropbox Sign, open **Settings**, then **API**, and go to **Account callback**.',
    'Paste the URL, and save. If you want deliveries to be verified, set your API key of Dropbox Sign as the secret of the bot.',
  ],
  sample: {
    payload: {
      event: { event_type: 'signature_request_signed', event_time: '1772442000' },
      signature_request: {
        title: 'Lease of the office',
        signatures: [
          { signer_name: 'Ada', signer_email_address: 'ada@example.com', status_code: 'signed' },
          { signer_name: 'Ben', signer_email_address: 'ben@example.com', status_code: 'awaiting_signature' },
        ],
      },
    },
  },
  verify: eventHash,
  // Without this text in the response, Dropbox Sign repeats the delivery.
  responseTo: () => 'Hello API Event Received',
  read: ({ body, rawBody }) => readHelloSign(body, rawBody),
  eventOf: (payload) => parse(delivery, payload).event?.event_type ?? 'signature_request_sent',
  events: {
    ...Object.fromEntries(NAMES.map((name) => [name, handler])),
    callback_test: ignore,
    account_confirmed: ignore,
    template_created: ignore,
    file_error: ignore,
    unknown_error: ignore,
    sign_url_invalid: ignore,
  },
})
