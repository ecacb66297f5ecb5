import { type Refusal, refusal } from '#lib/errors.ts'

/** The refusal of a post without text, attachments and blocks. Its name is that of Slack. */
export const noText = refusal('no_text', 400, 'The message has no text')

/** The names of errors that Slack has, by the codes of ours. Programs compare them. */
const NAMES: Readonly<Record<string, string>> = {
  INVALID_JSON: 'invalid_payload',
  ANOMALOUS_WEBHOOK_PAYLOAD: 'invalid_payload',
  INVALID_API_KEY: 'invalid_token',
  UNAUTHORIZED: 'invalid_token',
  REQUEST_VARIABLE_MISSING: 'no_service',
  STREAM_DOES_NOT_EXIST: 'channel_not_found',
  RATE_LIMIT_HIT: 'rate_limited',
}

/** Returns a refusal as Slack would respond: the name of the error as text. */
export function slackError({ kind, message }: Refusal): { status: number; text: string } {
  if (kind.code === 'channel_not_found' || kind.code === noText.code) return { status: kind.status, text: kind.code }
  return { status: kind.status, text: NAMES[kind.code] ?? message }
}
